// The lines that record a trace which the page can explain.

export const RECIPE = `from torch.profiler import profile, schedule, tensorboard_trace_handler
with profile(schedule=schedule(wait=1, warmup=2, active=5),
             on_trace_ready=tensorboard_trace_handler("runs/first")) as prof:
    for batch in loader:
        train_step(batch); prof.step()`;

export const STEP_LINES = `for batch in loader:
    train_step(batch)
    prof.step()`;
