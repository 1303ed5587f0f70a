"""TFLite: `reader` checks and decodes the flatbuffer, `importer` turns it into a Graph."""
