"""Offsets for buffers: `solve(problem)` finds them, `validate(problem, solution)` checks them."""
