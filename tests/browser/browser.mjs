// What the browser tests share: Chromium, a page that reports everything that must not happen, the seed's link.
// In: CHROMIUM, PODSIEVE_URL and, where there are recorded answers, CONFORMANCE; set by `cargo xtask test browser`.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const FLAGS =
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";

export const address = process.env.PODSIEVE_URL ?? "";

/** Starts Chromium. */
export function launch() {
  if (!address || !process.env.CHROMIUM) throw new Error("run these tests with `cargo xtask test browser`");
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: FLAGS.split(" ") });
}

/** The page with the sample that most tests work on: a policy with three Pods, of which one is refused. */
export const story = "/#/?policy=mesh/service-mesh-capabilities";

/**
 * A page of its own, with nothing stored; `finish` closes it and fails where it said or asked for anything it must not.
 * @param {import("playwright-core").Browser} browser
 */
export async function open(browser, path = story, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints = [];
  const complain = (what) => complaints.push(what);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complain(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complain(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${address}/`)) complain(`request to ${url}`);
    if (request.method() !== "GET") complain(`${request.method()} ${url}`);
  });
  page.on("requestfailed", (request) => {
    // What was on its way when the page was left is not a failure.
    if (request.failure()?.errorText !== "net::ERR_ABORTED") complain(`failed: ${request.url()}`);
  });
  await page.addInitScript(() => {
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) =>
      window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`),
    );
  });
  await page.goto(address + path);
  await page.locator(".results .rule, .results .empty, .results .unmatched, .results .compare").first().waitFor();
  if (path === story) await opened(page, "A gap in the policy for service meshes");
  const finish = async () => {
    const violations = await page.evaluate(() => window.violations);
    await context.close();
    assert.deepEqual([...complaints, ...violations], []);
  };
  return { page, context, finish };
}

/** What `open` needs for a phone. */
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** Opens a sample and waits for its verdict. */
export async function openSample(page, title) {
  await page.click("#open-samples");
  await page.getByRole("button", { name: title, exact: true }).click();
  await opened(page, title);
}

/** Waits until a sample is there, with its verdict. */
async function opened(page, title) {
  // Inside another page nothing is said of it.
  await page.locator(".notice", { hasText: title }).waitFor({ state: "attached" });
  await page.waitForFunction(() => !document.querySelector(".results.stale"));
}

/** The verdict line, without the time: the counts, or the words that stand there where nothing is counted. */
export function verdict(page) {
  return page.locator(".verdict .count, .verdict > .quiet").allInnerTexts().then((texts) => texts.map((text) => text.replace(/\s+/g, " ").trim()).join(", "));
}

/** Asks again until the check passes, for the page answers when its engine does; after ten seconds, fails as it does. */
export async function eventually(check) {
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Waits until the verdict line says this. */
export function verdictIs(page, wanted) {
  return eventually(async () => assert.equal(await verdict(page), wanted));
}

/** Waits until an element's text is this one, or matches. */
export function says(element, wanted) {
  const holds = typeof wanted === "string" ? assert.equal : assert.match;
  return eventually(async () => holds(await element.innerText(), wanted));
}

/** Waits until there are so many of them. */
export function counts(elements, wanted) {
  return eventually(async () => assert.equal(await elements.count(), wanted));
}

/** Replaces a stretch of an editor's text by typing, as a person does: find it, select it, type. */
export async function retype(page, label, from, to) {
  const editor = page.getByRole("textbox", { name: label, exact: true });
  await editor.focus();
  await page.keyboard.press("Control+f");
  const search = page.locator(`.field:visible .cm-search input[name=search]`);
  await search.selectText();
  await search.pressSequentially(from);
  await search.press("Enter");
  await search.press("Escape");
  await page.keyboard.type(to);
}

/** Findings of axe-core, as lines. */
export async function axe(page) {
  // Through the debugger's door: a script element would be refused by the page's own policy.
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}

/** The folder of recorded answers, which may not be there. */
export const recorded = process.env.CONFORMANCE ?? fileURLToPath(new URL("../../../shared/conformance", import.meta.url));
const links = join(recorded, "links/links.txt");

/** The first of the recorded links, as a path of this page; `null` where the recorded answers are not at hand. */
export function seedLink() {
  if (!existsSync(links)) return null;
  const [first] = readFileSync(links, "utf8").split("\n");
  return "/" + first.trim().slice(first.indexOf("#"));
}
