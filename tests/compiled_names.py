"""Short words for the long names of torch.compile’s events, to draw them."""

NAMES = {
    "R0": "Torch-Compiled Region: 0/0",
    "R1": "Torch-Compiled Region: 1/0",
    "R2": "Torch-Compiled Region: 2/0",
    "old": "Torch-Compiled Region",
    "byte": "Pregraph bytecode",
    "pro": "AOTDispatcher Runtime Wrapper Prologue",
    "fun": "CompiledFunction",
    "back": "CompiledFunctionBackward",
    "gr": "## Call CompiledFxGraph fabc ##",
    "item": "aten::item",
    "mul": "aten::mul",
    "phase": "compile_fx_inner (dynamo_timed)",
}
