"""Two traces compared, step by step: docs/definitions/comparison.md."""
