"""The planner's figures in one run: hard allocation problems, real networks, growth."""

from __future__ import annotations

import planner_offsets
import planning

import networks

SECTIONS = (
    ("Hard allocation problems and bare buffers", planner_offsets.main),
    ("Scratch of the shared networks, beside TFLite Micro", networks.main),
    ("Growth with the number of operators", planning.main),
)

if __name__ == "__main__":
    for title, main in SECTIONS:
        print(f"\n{title}\n")
        main()
