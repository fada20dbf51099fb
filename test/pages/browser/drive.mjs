// A browser that does what it is told: one JSON object a line in, one out. run.py tells it; Playwright drives Debian's Chromium.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const modules = process.argv[2];
const require = createRequire(pathToFileURL(`${modules}/`));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
let context, page, foreign;
// Milliseconds that anything may take: a machine that is emulated, or is busy with others, is slow.
const PATIENCE = 120000;
// A text is there before the rest of the page and its style sheet are: what a page has and how it looks is asked after both, and keys are pressed then.
const loaded = () => page.waitForLoadState("load");

const acts = {
  // A browser as new: with or without script, dark or light, so wide.
  async begin({ script = true, scheme = "light", width = 900, height = 900 }) {
    await context?.close();
    context = await browser.newContext({ javaScriptEnabled: script, colorScheme: scheme, viewport: { width, height } });
    page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    foreign = [];
    page.on("console", (said) => said.type() === "error" && foreign.push(said.text()));
    page.on("pageerror", (error) => foreign.push(String(error)));
  },
  async open({ url }) {
    foreign.length = 0;
    return (await page.goto(url)).status();
  },
  // Milliseconds until it was loaded, as the browser counts them.
  async timed({ url }) {
    await page.goto(url);
    return page.evaluate(() => performance.getEntriesByType("navigation")[0].duration);
  },
  async fill({ label, text }) { await page.getByLabel(label, { exact: true }).fill(text); },
  async choose({ label, option }) { await page.getByLabel(label, { exact: true }).selectOption({ label: option }); },
  async upload({ label, path }) { await page.getByLabel(label, { exact: true }).setInputFiles(path); },
  async check({ label }) { await page.getByLabel(label).check(); },
  async uncheck({ label }) { await page.getByLabel(label).uncheck(); },
  async press({ button }) { await page.getByRole("button", { name: button, exact: true }).click(); },
  // A click at a place of a picture that is a button, in pixels from its corner.
  async point({ picture, x, y }) { await page.getByRole("button", { name: picture, exact: true }).click({ position: { x, y } }); },
  async follow({ link }) { await page.getByRole("link", { name: link, exact: true }).click(); },
  async keys({ keys }) { await loaded(); for (const key of keys) { await page.keyboard.press(key); } },
  // Why the browser itself does not send a form.
  async invalid() { return page.evaluate(() => [...document.querySelectorAll(":invalid")].map((one) => one.validationMessage).join(" ")); },
  async focused() { await loaded(); return page.evaluate(() => document.activeElement.textContent); },
  async focus({ label }) { await page.getByLabel(label, { exact: true }).focus(); },
  async gone({ text }) { await page.getByText(text).first().waitFor({ state: "detached" }); },
  async shows({ text }) { await page.getByText(text).first().waitFor(); },
  // The browser's own clock stands still at this time; its timers go on.
  async clock({ at }) { await page.clock.setFixedTime(at); },
  // What a script says, which is not the page's own.
  async script({ says }) { return page.evaluate(says); },
  async title() { return page.title(); },
  async text() { await loaded(); return page.innerText("body"); },
  async cookies() { return context.cookies(); },
  // What it complained of: scripts that a policy kept out, files that were not there.
  async complaints() { return foreign; },
  async wide() { await loaded(); return page.evaluate(() => [document.scrollingElement.scrollWidth, innerWidth]); },
  async paper() { await loaded(); return page.evaluate(() => getComputedStyle(document.body).backgroundColor); },
  async click({ x, y }) { await page.mouse.click(x, y); },
  async type({ text }) { await page.keyboard.type(text, { delay: 20 }); },
  // Waits until noVNC shows the other side's screen, and nothing of its own above it.
  async connected() { await page.waitForFunction(() => document.documentElement.classList.contains("noVNC_connected")); },
  // Waits until a canvas shows so many colours; how many they are.
  async picture({ least }) {
    const seen = await page.waitForFunction((wanted) => {
      const canvas = document.querySelector("canvas");
      if (!canvas?.width) { return 0; }
      const points = new Uint32Array(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.buffer);
      const colours = new Set(points).size;
      return colours >= wanted ? colours : 0;
    }, least, { polling: 300 });
    return seen.jsonValue();
  },
  async shot({ path }) { await loaded(); await page.screenshot({ path, fullPage: true }); },
  // axe-core's findings. It comes in by the debugger, which the page's policy does not hold.
  async axe() {
    await loaded();
    await page.evaluate(axe);
    const found = await page.evaluate(() => window.axe.run());
    return found.violations.map((one) => `${one.id}: ${one.help} (${one.nodes.map((node) => node.html.slice(0, 80)).join("; ")})`);
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { act, ...told } = JSON.parse(line);
  let answer;
  try {
    answer = { value: (await acts[act](told)) ?? null };
  } catch (error) {
    const seen = await page?.innerText("body", { timeout: 1000 }).catch(() => "nothing");
    answer = { error: `${String(error).slice(0, 400)}; the page says: ${seen.slice(0, 400)}` };
  }
  console.log(JSON.stringify(answer));
}
await browser.close();
