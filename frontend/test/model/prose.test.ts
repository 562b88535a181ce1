import { describe, expect, it } from "vitest";
import { blocks, inlines, leadSentence } from "../../src/model/prose";

describe("inline text", () => {
  it("sets code apart", () => {
    expect(inlines("Call `prof.step()` once.")).toEqual([
      { kind: "text", text: "Call " },
      { kind: "code", text: "prof.step()" },
      { kind: "text", text: " once." },
    ]);
  });

  it("keeps a figure and its unit together", () => {
    expect(inlines("62.4 % of 22.9 ms")).toEqual([
      { kind: "figure", text: "62.4\u202f%" },
      { kind: "text", text: " of " },
      { kind: "figure", text: "22.9\u202fms" },
    ]);
  });

  it.each(["step 5 starts", "3 settled steps", "fp32", "an open ` mark"])("leaves “%s” alone", (text) => {
    expect(inlines(text)).toEqual([{ kind: "text", text }]);
  });

  it("never makes elements out of markup", () => {
    expect(inlines("<script>alert(1)</script>")).toEqual([
      { kind: "text", text: "<script>alert(1)</script>" },
    ]);
  });
});

describe("blocks", () => {
  it("are paragraphs between empty lines, their lines joined", () => {
    expect(blocks("one\ntwo\n\nthree")).toEqual([
      { kind: "paragraph", text: "one two" },
      { kind: "paragraph", text: "three" },
    ]);
  });

  it("are code where indented or fenced, with its own indentation kept", () => {
    expect(blocks("Do:\n\n    with x:\n        y()\n\nor\n```python\nif a:\n\n    b()\n```")).toEqual([
      { kind: "paragraph", text: "Do:" },
      { kind: "code", text: "with x:\n    y()" },
      { kind: "paragraph", text: "or" },
      { kind: "code", text: "if a:\n\n    b()" },
    ]);
  });

  it("are none for no text", () => expect(blocks("")).toEqual([]));
});

it("takes the first sentence for the action", () => {
  expect(leadSentence("Use TF32. 62.4 % is fp32.")).toEqual(["Use TF32.", " 62.4 % is fp32."]);
  expect(leadSentence("Upgrade to 2.13")).toEqual(["Upgrade to 2.13", ""]);
});
