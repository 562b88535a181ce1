import { afterEach, describe, expect, it, vi } from "vitest";
import { fetchComparison, NoSuchFile, Unreachable } from "../../src/api/client";

function answering(status: number, body: string, headers: Record<string, string> = {}) {
  const asked = vi.fn((_address: string, _init: RequestInit) =>
    Promise.resolve(new Response(status === 304 ? null : body, { status, headers })),
  );
  vi.stubGlobal("fetch", asked);
  return asked;
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("fetchComparison", () => {
  it("asks for two files, relative to the page, and gives the answer", async () => {
    const asked = answering(200, '{"state":"queued","position":2}', { etag: 'W/"a"' });
    const fetched = await fetchComparison("a&b", "c d", null);
    expect(asked.mock.calls[0]?.[0]).toBe("./compare?baseline=a%26b&candidate=c%20d");
    expect(asked.mock.calls[0]?.[1].headers).toEqual({});
    expect(fetched).toMatchObject({ body: { state: "queued", position: 2 }, etag: 'W/"a"' });
  });

  it("gives nothing where the answer is still the one at hand", async () => {
    const asked = answering(304, "");
    expect(await fetchComparison("a", "b", 'W/"a"')).toBeNull();
    expect(asked.mock.calls[0]?.[1].headers).toEqual({ "If-None-Match": 'W/"a"' });
  });

  it("tells a file that is gone from a server that fails", async () => {
    answering(404, "{}");
    await expect(fetchComparison("a", "b", null)).rejects.toBeInstanceOf(NoSuchFile);
    answering(500, "{}");
    await expect(fetchComparison("a", "b", null)).rejects.toBeInstanceOf(Unreachable);
    answering(200, '{"state":');
    await expect(fetchComparison("a", "b", null)).rejects.toBeInstanceOf(Unreachable);
  });
});
