import { describe, expect, it } from "vitest";
import { fitText, Labels, shortName } from "../../../src/model/timeline/names";
import { ticksOf } from "../../../src/model/timeline/ticks";

describe("a short name", () => {
  it.each([
    ["aten::add_", "add_"],
    ["nn.Module: Qwen2Attention_0", "Qwen2Attention_0"],
    ["autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0"],
    ["void at::native::(anonymous namespace)::softmax_warp<float>(float*)", "softmax_warp<float>(float*)"],
    ["void pytorch_flash::flash_fwd_kernel<a::b<64>>", "flash_fwd_kernel<a::b<64>>"],
    ["/usr/lib/python3/site-packages/torch/nn/module.py(1743): _call_impl", "module.py(1743): _call_impl"],
    ["Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)"],
    ["ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"],
    ["aten::", "aten::"],
    ["", ""],
  ])("of %j is %j", (name, short) => expect(shortName(name)).toBe(short));
});

describe("fitting", () => {
  const measure = (text: string): number => [...text].length * 10;

  it("keeps what has room, cuts what has not, and drops what would say nothing", () => {
    expect(fitText("kernel", 60, measure)).toBe("kernel");
    expect(fitText("kernel", 50, measure)).toBe("kern…");
    expect(fitText("kernel", 20, measure)).toBeNull();
  });

  it("never cuts a letter in two", () => {
    expect(fitText("🚀🚀🚀🚀", 30, measure)).toBe("🚀🚀…");
  });

  it("asks for no width twice", () => {
    let asked = 0;
    const labels = new Labels((text) => ((asked += 1), measure(text)));
    expect(labels.fit("aten::addmm", 40)).toBe("add…");
    const first = asked;
    for (let i = 0; i < 5; i += 1) expect(labels.fit("aten::addmm", 40)).toBe("add…");
    expect(asked).toBe(first);
  });
});

describe("ticks", () => {
  it("stand at round times, in one unit", () => {
    const labels = ticksOf({ from: 13_900, to: 17_150 }, 8).map((tick) => tick.label.replace("\u202f", " "));
    expect(labels).toEqual(["14.0 ms", "14.5 ms", "15.0 ms", "15.5 ms", "16.0 ms", "16.5 ms", "17.0 ms"]);
  });

  it("tell neighbours apart at any zoom", () => {
    for (const span of [0.05, 3, 800, 4e4, 9e6])
      for (const from of [-50, 0, 123_456]) {
        const labels = ticksOf({ from, to: from + span }, 9).map((tick) => tick.label);
        expect(labels.length).toBeGreaterThan(1);
        expect(labels.length).toBeLessThanOrEqual(10);
        expect(new Set(labels).size).toBe(labels.length);
      }
  });

  it("have no minus zero, and thousands apart", () => {
    const labels = ticksOf({ from: -0.4, to: 0.6 }, 5).map((tick) => tick.label);
    expect(labels).toContain("0.0\u202fµs");
    expect(ticksOf({ from: 1_234_000, to: 1_236_000 }, 2)[0]!.label).toBe("1,234\u202fms");
  });
});
