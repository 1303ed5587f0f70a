"""The plan file (.ncr): one description, from which writer, reader, C header and page follow."""
