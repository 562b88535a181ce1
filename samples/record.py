"""Records sample runs with torch.profiler, on this machine: those of the package and those of the tests.

    python samples/record.py [RUN ...] [--output DIRECTORY]

A GPU is used where there is one. Recorded files are made portable before they are kept: see
``neutral``. The runs named ``tutorial_*`` are not recorded; README.md beside this file says
where they come from.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
import site
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import torch._inductor.utils
from torch import nn
from torch.profiler import profile, schedule, tensorboard_trace_handler
from torch.utils.data import DataLoader, TensorDataset

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGED_SAMPLES = REPOSITORY / "tb_plugin_explain" / "samples"
COMPARED_SAMPLES = REPOSITORY / "tests" / "samples" / "compare"
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
FEATURES, CLASSES, BATCH = 256, 10, 64
TOKENS, WIDTH, HEADS = 16, 64, 4
WAIT_STEPS, WARMUP_STEPS = 1, 2
# The steps of the recompiling runs, counted from the first recorded one, that get a smaller batch.
ODD_STEP, ODD_BATCH = 3, 48


class Block(nn.Module):
    """One block of a transformer: attention, then two layers, each with a shortcut around it."""

    def __init__(self) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(WIDTH)
        self.projections = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.joined = nn.Linear(WIDTH, WIDTH, bias=False)
        self.layers = nn.Sequential(
            nn.LayerNorm(WIDTH),
            nn.Linear(WIDTH, 4 * WIDTH, bias=False),
            nn.GELU(),
            nn.Linear(4 * WIDTH, WIDTH, bias=False),
        )

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        parts = self.projections(self.before_attention(tokens)).chunk(3, dim=-1)
        heads = [part.unflatten(-1, (HEADS, -1)).transpose(1, 2) for part in parts]
        attended = nn.functional.scaled_dot_product_attention(*heads)
        tokens = tokens + self.joined(attended.transpose(1, 2).flatten(2))
        return tokens + self.layers(tokens)  # type: ignore[no-any-return]


class Average(nn.Module):
    """The mean over the tokens."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return tokens.mean(dim=1)


class Checked(nn.Module):
    """Two parts, and between them a look at the values, at which torch.compile breaks the graph."""

    def __init__(self, first: nn.Module, then: nn.Module) -> None:
        super().__init__()
        self.first, self.then = first, then

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        hidden = self.first(rows)
        if hidden.isnan().any():
            raise ValueError("the network has diverged")
        return self.then(hidden)  # type: ignore[no-any-return]


def classifier() -> nn.Module:
    """A multilayer perceptron of three layers."""
    return nn.Sequential(
        nn.Linear(FEATURES, FEATURES),
        nn.GELU(),
        nn.Linear(FEATURES, FEATURES),
        nn.GELU(),
        nn.Linear(FEATURES, CLASSES),
    )


def checked_classifier() -> nn.Module:
    layers = list(classifier().children())
    return Checked(nn.Sequential(*layers[:2]), nn.Sequential(*layers[2:]))


def small_classifier() -> nn.Module:
    """Two layers: what is recorded of compiling them stays small."""
    return nn.Sequential(nn.Linear(FEATURES, FEATURES), nn.GELU(), nn.Linear(FEATURES, CLASSES))


def transformer() -> nn.Module:
    """A transformer of one block."""
    return nn.Sequential(nn.Unflatten(1, (TOKENS, WIDTH)), Block(), Average(), nn.Linear(WIDTH, CLASSES))


def checked_transformer() -> nn.Module:
    layers = list(transformer().children())
    return Checked(nn.Sequential(*layers[:2]), nn.Sequential(*layers[2:]))


@dataclass(frozen=True)
class Recording:
    """How one run is recorded.

    model: makes the network, which takes rows of ``features``. steps: how many are recorded.
    compile: arguments of torch.compile; None trains without it. options: of torch.profiler.
    loader: whether a DataLoader makes the batches, with many small operators of its own.
    odd_batch: whether one recorded step gets a smaller batch. kernel_events: whether the C++ kernels
    that Inductor makes leave events.
    """

    model: Callable[[], nn.Module] = classifier
    features: int = FEATURES
    steps: int = 5
    optimizer: Callable[..., torch.optim.Optimizer] = torch.optim.AdamW
    compile: Mapping[str, Any] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    loader: bool = True
    odd_batch: bool = False
    kernel_events: bool = False


PACKAGED = {
    "mlp_eager": Recording(),
    "mlp_compiled": Recording(compile={}),
    "mlp_memory_stacks": Recording(
        options={"profile_memory": True, "with_stack": True, "record_shapes": True}
    ),
}


def _compared(**how: Any) -> Recording:
    """Few events beside those of the network, so that files stay small."""
    return Recording(**{"steps": 7, "optimizer": torch.optim.SGD, "loader": False, **how})


def _compared_transformer(**how: Any) -> Recording:
    return _compared(**{"model": transformer, "features": TOKENS * WIDTH, **how})


SHAPES = {"record_shapes": True}
COMPARED = {
    "classifier_eager": _compared(),
    "classifier_eager_shapes": _compared(options=SHAPES),
    "classifier_compiled": _compared(compile={}),
    "classifier_compiled_shapes": _compared(compile={}, options=SHAPES),
    "classifier_kernel_events": _compared(compile={}, kernel_events=True),
    "classifier_graph_break": _compared(model=checked_classifier, compile={}),
    "small_classifier_recompiled": _compared(
        model=small_classifier, compile={"dynamic": False}, odd_batch=True
    ),
    "transformer_eager": _compared_transformer(),
    "transformer_compiled": _compared_transformer(compile={}),
    "transformer_graph_break": _compared_transformer(model=checked_transformer, compile={}, steps=6),
    "transformer_recompiled": _compared_transformer(compile={"dynamic": False}, odd_batch=True, steps=9),
    "transformer_reduce_overhead": _compared_transformer(compile={"mode": "reduce-overhead"}, steps=9),
}
RECORDINGS = {**PACKAGED, **COMPARED}


def batches(recording: Recording) -> Iterator[Any]:
    """Batches of random rows with random labels, one a step."""
    count = WAIT_STEPS + WARMUP_STEPS + recording.steps
    rows = torch.randn(count * BATCH, recording.features)
    labels = torch.randint(CLASSES, (count * BATCH,))
    if recording.loader:
        yield from DataLoader(TensorDataset(rows, labels), batch_size=BATCH)
        return
    made = [list(pair) for pair in zip(rows.split(BATCH), labels.split(BATCH), strict=True)]
    if recording.odd_batch:
        odd = WAIT_STEPS + WARMUP_STEPS + ODD_STEP
        made[odd] = [part[:ODD_BATCH] for part in made[odd]]
    yield from made


def train(recording: Recording, directory: Path) -> None:
    """Trains for one profiling cycle; TensorBoard's handler writes the trace into ``directory``."""
    torch.manual_seed(0)
    model = recording.model().to(DEVICE)
    forward = model if recording.compile is None else torch.compile(model, **recording.compile)
    optimizer = recording.optimizer(model.parameters(), lr=1e-3)
    with profile(
        schedule=schedule(wait=WAIT_STEPS, warmup=WARMUP_STEPS, active=recording.steps, repeat=1),
        on_trace_ready=tensorboard_trace_handler(str(directory), worker_name="worker0", use_gzip=True),
        **recording.options,
    ) as profiler:
        for rows, labels in batches(recording):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(forward(rows.to(DEVICE)), labels.to(DEVICE))
            loss.backward()
            optimizer.step()
            profiler.step()


def path_prefixes() -> list[tuple[str, str]]:
    """This machine's directories that may stand in a trace, and what is written instead; longest first."""
    named = dict.fromkeys(site.getsitepackages(), "site-packages")
    named[sysconfig.get_path("stdlib")] = "python"
    named[str(REPOSITORY)] = "explain"
    named[tempfile.gettempdir()] = "tmp"
    named[str(Path.home())] = "home"
    return sorted(named.items(), key=lambda pair: -len(pair[0]))


def neutral(text: str, prefixes: Sequence[tuple[str, str]]) -> str:
    """The trace without the names of this machine: host, and the directories that paths begin with.

    It works on the text, so that every number, times above all, stays as the profiler wrote it.
    """
    text = re.sub(r'("host_name": )"[^"]*"', r'\1"host"', text)
    for prefix, name in prefixes:
        text = text.replace(f"{prefix}/", f"{name}/")
    return text


def record(run: str, output: Path | None = None) -> Path:
    """Records one run and puts its only file into ``output/run`` in place of what was there."""
    torch.compiler.reset()
    with (
        tempfile.TemporaryDirectory() as scratch,
        # What an earlier recording compiled must not make a recorded compilation short.
        torch._inductor.utils.fresh_cache(),
        torch._inductor.config.patch("cpp.enable_kernel_profile", RECORDINGS[run].kernel_events),
    ):
        train(RECORDINGS[run], Path(scratch))
        (recorded,) = Path(scratch).iterdir()
        text = neutral(gzip.decompress(recorded.read_bytes()).decode(), path_prefixes())
    directory = (output or (PACKAGED_SAMPLES if run in PACKAGED else COMPARED_SAMPLES)) / run
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    kept = directory / recorded.name
    kept.write_bytes(gzip.compress(text.encode(), mtime=0))
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description="Record sample runs with torch.profiler.")
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"of {', '.join(RECORDINGS)}; all by default")
    parser.add_argument("--output", type=Path, help="the log directory, in place of the samples’ own")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.runs) - set(RECORDINGS))
    if unknown:
        parser.error(f"no run named {', '.join(unknown)}")
    # One thread: on a busy machine, waiting for the others would be most of what is recorded.
    torch.set_num_threads(1)
    for run in arguments.runs or RECORDINGS:
        kept = record(run, arguments.output)
        print(f"{kept}  {kept.stat().st_size:,} bytes, on {DEVICE}")


if __name__ == "__main__":
    main()
