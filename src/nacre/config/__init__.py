"""The configuration: one typed model, read from YAML and options."""
