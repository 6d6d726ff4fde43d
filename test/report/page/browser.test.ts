/** The page in a real Chromium, opened from disk. Skipped where none is installed. */

import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { renderReport } from "../../../src/report/page/render-report.js";
import { summarize } from "../../../src/report/summarize.js";
import type { ReportSummary } from "../../../src/report/summary.js";
import { missedRecord, syntheticLog, tool } from "../../support/logs.js";

const executablePath = "/usr/bin/chromium";
const hostile = `<img src=x onerror="document.title='owned'">`;

function* log() {
  yield* syntheticLog({ threads: 420, turnsPerThread: 3, tools: 60, seed: 5, fallbackRate: 0.05 });
  yield missedRecord({
    threadId: "last",
    time: "2026-12-20T08:00:00.000Z",
    tools: [tool(hostile, 0.05), tool("query", 0.9)],
    outcome: { called: [hostile] },
  });
}

/** The value at a path of the page; agents stand by their position. */
function valueAt(summary: ReportSummary, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => {
    const inner = value === summary.agents ? Object.values(summary.agents) : value;
    return (inner as Record<string, unknown>)[key];
  }, summary);
}

describe.skipIf(!existsSync(executablePath))("the page in a browser", () => {
  let browser: Browser;
  let folder: string;
  let url: string;
  let summary: ReportSummary;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "toolsieve-page-"));
    summary = await summarize(log());
    const file = join(folder, "report.html");
    await writeFile(file, renderReport(summary));
    url = pathToFileURL(file).href;
    browser = await chromium.launch({
      executablePath,
      args: ["--no-sandbox", "--disable-background-networking"],
    });
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function open(width: number, colorScheme: "light" | "dark") {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const problems: string[] = [];
    page.on("console", (message) => problems.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => problems.push(`error: ${error.message}`));
    page.on("request", (request) => {
      if (request.url() !== url) problems.push(`request: ${request.url()}`);
    });
    await page.goto(url);
    return { page, problems };
  }

  const contrast = (page: Page, selector: string): Promise<number> =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => {
        const parse = (color: string): readonly number[] =>
          (color.match(/[\d.]+/g) ?? []).slice(0, 3).map((channel) => {
            const value = Number(channel) / 255;
            return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
          });
        const luminance = (color: string): number => {
          const [red = 0, green = 0, blue = 0] = parse(color);
          return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        };
        let ground: Element | null = element;
        while (ground !== null && getComputedStyle(ground).backgroundColor === "rgba(0, 0, 0, 0)") {
          ground = ground.parentElement;
        }
        const paper = luminance(getComputedStyle(ground ?? document.body).backgroundColor);
        const ink = luminance(getComputedStyle(element).color);
        return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
      });

  it.each([
    [400, "light"],
    [400, "dark"],
    [1600, "light"],
    [1600, "dark"],
  ] as const)(
    "opens at %i px in %s: no request, no console message, no overflow, readable",
    async (width, scheme) => {
      const { page, problems } = await open(width, scheme);
      expect(problems).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        width,
      );
      for (const selector of [
        ".verdict li",
        ".verdict strong",
        ".explanation",
        "td",
        "a",
        "dl.figures dt",
      ]) {
        expect(await contrast(page, selector), selector).toBeGreaterThanOrEqual(4.5);
      }
      await page.close();
    },
  );

  it("shows the numbers of --json, exactly", async () => {
    const { page } = await open(1600, "light");
    const shown = await page
      .locator("data[data-path]")
      .evaluateAll((elements) =>
        elements.map((element) => [
          element.getAttribute("data-path") ?? "",
          element.getAttribute("value") ?? "",
        ]),
      );
    expect(shown.length).toBeGreaterThan(200);
    for (const [path = "", value] of shown)
      expect(String(valueAt(summary, path)), path).toBe(value);
    await page.close();
  });

  it("shows hostile tool names as text", async () => {
    const { page } = await open(1600, "light");
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).not.toBe("owned");
    expect(await page.locator("bdi", { hasText: hostile }).count()).toBeGreaterThan(0);
    await page.close();
  });

  it("shows the what-if as a table, the recorded policy first", async () => {
    const { page } = await open(1600, "light");
    const rows = page.locator("#what-if tbody tr");
    expect(await rows.count()).toBe(summary.judged?.whatIf.rows.length);
    expect(await rows.first().textContent()).toContain("recorded");
    await page.close();
  });

  it("is reached by keyboard: skip link, sections, tables", async () => {
    const { page } = await open(400, "light");
    const reached = new Set<string>();
    for (let count = 0; count < 60; count += 1) {
      await page.keyboard.press("Tab");
      reached.add(
        await page.evaluate(() => {
          const element = document.activeElement;
          return (
            element?.getAttribute("name") ??
            element?.getAttribute("href") ??
            element?.className ??
            ""
          );
        }),
      );
    }
    expect([...reached]).toEqual(
      expect.arrayContaining(["#verdict", "#tools", "#what-if", "scroll"]),
    );
    await page.close();
  });
});
