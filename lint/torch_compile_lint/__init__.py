"""torch-compile-lint: finds what torch.compile will stumble over, without running it."""

__version__ = "0.1.0"
