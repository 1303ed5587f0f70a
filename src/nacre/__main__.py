"""`python -m nacre` is `nacre`."""

from nacre.cli import main

if __name__ == "__main__":
    main(prog_name="nacre")
