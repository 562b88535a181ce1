"""Records the sample runs that the package brings, with torch.profiler, on this machine.

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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch.profiler import profile, schedule, tensorboard_trace_handler
from torch.utils.data import DataLoader, TensorDataset

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGED_SAMPLES = REPOSITORY / "tb_plugin_explain" / "samples"
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
FEATURES, CLASSES, BATCH = 256, 10, 64
WAIT_STEPS, WARMUP_STEPS, ACTIVE_STEPS = 1, 2, 5


@dataclass(frozen=True)
class Recording:
    """How one sample run is recorded: with torch.compile or not, and with which profiler options."""

    compiled: bool
    options: dict[str, Any]


RECORDINGS = {
    "mlp_eager": Recording(compiled=False, options={}),
    "mlp_compiled": Recording(compiled=True, options={}),
    "mlp_memory_stacks": Recording(
        compiled=False, options={"profile_memory": True, "with_stack": True, "record_shapes": True}
    ),
}


def classifier() -> Any:
    """A multilayer perceptron of three layers."""
    return torch.nn.Sequential(
        torch.nn.Linear(FEATURES, FEATURES),
        torch.nn.GELU(),
        torch.nn.Linear(FEATURES, FEATURES),
        torch.nn.GELU(),
        torch.nn.Linear(FEATURES, CLASSES),
    ).to(DEVICE)


def batches(count: int) -> Any:
    """A DataLoader of ``count`` batches of random rows with random labels."""
    rows = torch.randn(count * BATCH, FEATURES)
    labels = torch.randint(CLASSES, (count * BATCH,))
    return DataLoader(TensorDataset(rows, labels), batch_size=BATCH)


def train(recording: Recording, directory: Path) -> None:
    """Trains for one profiling cycle; TensorBoard's handler writes the trace into ``directory``."""
    torch.manual_seed(0)
    model = classifier()
    forward = torch.compile(model) if recording.compiled else model
    optimizer = torch.optim.AdamW(model.parameters())
    with profile(
        schedule=schedule(wait=WAIT_STEPS, warmup=WARMUP_STEPS, active=ACTIVE_STEPS, repeat=1),
        on_trace_ready=tensorboard_trace_handler(str(directory), worker_name="worker0", use_gzip=True),
        **recording.options,
    ) as profiler:
        for rows, labels in batches(WAIT_STEPS + WARMUP_STEPS + ACTIVE_STEPS):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(forward(rows.to(DEVICE)), labels.to(DEVICE))
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


def record(run: str, output: Path) -> Path:
    """Records one run and puts its only file into ``output/run`` in place of what was there."""
    with tempfile.TemporaryDirectory() as scratch:
        train(RECORDINGS[run], Path(scratch))
        (recorded,) = Path(scratch).iterdir()
        text = neutral(gzip.decompress(recorded.read_bytes()).decode(), path_prefixes())
    directory = output / run
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    kept = directory / recorded.name
    kept.write_bytes(gzip.compress(text.encode(), mtime=0))
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description="Record sample runs with torch.profiler.")
    parser.add_argument("runs", nargs="*", metavar="RUN", help=f"of {', '.join(RECORDINGS)}; all by default")
    parser.add_argument("--output", type=Path, default=PACKAGED_SAMPLES, help="the log directory")
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
