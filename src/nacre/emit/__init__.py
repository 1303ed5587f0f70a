"""Program -> files of a C module."""
