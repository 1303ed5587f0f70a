"""Plans for a budget: segments, cascades of row bands, tiles, and what moves between memories."""
