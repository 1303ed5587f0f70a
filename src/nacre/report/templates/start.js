// Put everything on the page, then listen.
showMaps();
showTables();
showGraph();
for (const job of queued) job();
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  hideTip();
  if (selection.tensor !== null || selection.step !== null) clearSelection();
});
addEventListener("hashchange", recall);
if (location.hash.includes("=")) recall();
