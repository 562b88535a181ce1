"""Explain for TensorBoard: reads torch.profiler traces and says what bounds them."""

__version__ = "0.1.0"
