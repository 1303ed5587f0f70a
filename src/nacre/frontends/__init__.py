"""From file bytes to a Graph, one package per format."""
