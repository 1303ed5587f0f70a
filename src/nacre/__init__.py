"""nacre compiles trained networks ahead of time into plain C for microcontrollers."""

__version__ = "0.1.0"
