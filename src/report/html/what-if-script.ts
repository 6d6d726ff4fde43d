/** The only script of the page: looks a chosen policy up in the rows of the what-if. Plain text, run by the browser as it stands. */

export const whatIfScript = `
(() => {
  "use strict";
  const form = document.getElementById("what-if-form");
  const output = document.getElementById("what-if-result");
  if (form === null || output === null) return;
  const rows = JSON.parse(document.getElementById("what-if-rows").textContent);
  const percent = (share) => Number((share * 100).toPrecision(3)) + " %";
  const number = (value) => value >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));
  const show = () => {
    const chosen = new FormData(form);
    const row = rows.find((candidate) =>
      String(candidate.rejectionThreshold) === chosen.get("rejectionThreshold") &&
      String(candidate.confidenceThreshold) === chosen.get("confidenceThreshold") &&
      String(candidate.maxTools) === chosen.get("maxTools") &&
      candidate.onUncertain === chosen.get("onUncertain"));
    output.textContent = row === undefined
      ? "Not a valid policy: the rejection threshold must be below the confidence threshold."
      : number(row.missedUnits) + " of " + number(row.units) + " units would have missed a tool (up to " + percent(row.upperBound) +
        "). " + percent(row.fallbackShare) + " of the turns restore the full catalog; " + number(row.meanTools) +
        " tools offered on average; " + percent(row.removedShare) + " of the definition tokens not sent." +
        (row.current ? " This is the recorded policy." : "");
  };
  form.hidden = false;
  form.addEventListener("change", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
})();
`;
