import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeText, html, name } from "../../../src/report/page/markup.js";
import { renderReport } from "../../../src/report/page/render-report.js";
import { summarize } from "../../../src/report/summarize.js";
import { shadowRecord, syntheticLog, threads, tool } from "../../support/logs.js";

const visible = (page: string): string =>
  page
    .replace(/<(style|script)[^>]*>[\s\S]*?<\/\1>/g, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");

describe("renderReport", () => {
  it.each([
    ["ready", threads(400), "Ready for a first share"],
    ["not ready", threads(20, 20), "Not ready"],
    ["no evidence", threads(12), "No evidence"],
    ["an empty log", [], "No evidence"],
  ])("puts the verdict of a log that is %s first, with every reason", async (_, log, heading) => {
    const summary = await summarize(log);
    const text = visible(renderReport(summary));
    expect(text.indexOf(heading)).toBeGreaterThan(-1);
    expect(text.indexOf(heading)).toBeLessThan(400);
    for (const sentence of [...summary.reasons, ...summary.changes]) {
      expect(text).toContain(visible(escapeText(sentence)));
    }
  });

  it("never says safe, and says that hiding is not authorisation", async () => {
    const text = visible(renderReport(await summarize(threads(400))));
    expect(text).not.toMatch(/\bsafe\b/i);
    expect(text).toContain("Hiding a tool is not authorisation");
    expect(text).toContain("independent");
  });

  it("asks for nothing from elsewhere", async () => {
    const page = renderReport(
      await summarize([...syntheticLog({ threads: 40, turnsPerThread: 3, tools: 5, seed: 1 })]),
    );
    expect(page).not.toMatch(/\b(src|href)="(?!#|data:,")/);
    expect(page).not.toMatch(/url\(|@import|https?:/);
  });

  it("carries no script, and allows none", async () => {
    const page = renderReport(await summarize(threads(12)));
    expect(page).not.toContain("<script");
    expect(page).toContain("default-src &#39;none&#39;");
    expect(page).not.toContain("script-src");
  });

  it("says unknown where a figure is not known, never 0", async () => {
    const log = threads(12, 0, () => ({ judge: { usage: null } }));
    const page = renderReport(await summarize(log));
    expect(page).toContain('data-path="judged.netSaving.mean">unknown');
  });

  it("shows hostile names as text, in every table", async () => {
    const hostile = `</script><img src=x onerror=alert(1)>"'&`;
    const log = threads(30, 3, (index) => ({
      agent: hostile,
      version: hostile,
      threadId: `${hostile}${index}`,
      policyFingerprint: hostile,
      judge: { id: hostile, model: hostile },
      tools: [tool(hostile, 0.05), tool("query", 0.9)],
      outcome: { called: [hostile, "query"], model: hostile },
    }));
    const page = renderReport(
      await summarize([...log, shadowRecord({ reason: hostile, fallback: true })]),
    );
    expect(page).not.toContain("<img");
    expect(page).not.toContain("<script");
    expect(page).not.toContain("</script");
  });
});

describe("markup", () => {
  it("escapes any string in text and attributes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { text: markup } = html`<p title="${text}">${text}</p>`;
        expect(markup.match(/</g)).toHaveLength(2);
        expect(markup.match(/"/g)).toHaveLength(2);
      }),
    );
  });

  it.each([
    ["a\nb", String.raw`a\u{000A}b`],
    ["a\u202Eb", String.raw`a\u{202E}b`],
    ["a\u200Bb", String.raw`a\u{200B}b`],
    ["a\u{E0041}b", String.raw`a\u{E0041}b`],
    ["查天气 é", "查天气 é"],
  ])("shows the invisible in the name %j", (text, shown) => {
    expect(name(text).text).toBe(`<bdi class="name">${shown}</bdi>`);
  });

  it("shows nothing for null, undefined and false, and 0 for 0", () => {
    expect(html`${null}${undefined}${false}${0}`.text).toBe("0");
  });
});
