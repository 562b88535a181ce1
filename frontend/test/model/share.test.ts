import { describe, expect, it } from "vitest";
import { downloadName, exportAddress, sliceAddress } from "../../src/model/share";

describe("addresses", () => {
  it("are relative, and nothing of an id leads out of them", () => {
    expect(exportAddress("a&b=../c", "html")).toBe("./export?file=a%26b%3D..%2Fc&format=html");
    expect(sliceAddress("f", 6)).toBe("./slice?file=f&step=6");
  });
});

describe("the name of a download", () => {
  it("is the server’s, whatever its characters", () => {
    expect(downloadName("attachment; filename*=UTF-8''w%C3%B6rker0.step6.json")).toBe("wörker0.step6.json");
    expect(downloadName("attachment; filename*=UTF-8''%E0%A4%A")).toBeNull();
    expect(downloadName(null)).toBeNull();
  });
});
