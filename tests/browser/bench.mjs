// Two times that people feel, in headless Chromium: a link opened cold until its verdict is on screen, and a key
// press until the verdict it causes is; the same with the longest policy in CEL of Kyverno's library, and with 500 resources under 20
// rules, with a scroll and the memory. In: CHROMIUM and PODSIEVE_URL, set by `cargo xtask bench`. Out: medians.
// With the word `pairs`, instead of these: how long *Compare* takes for the pairs of Kyverno's library.
import { gunzipSync } from "node:zlib";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { launch, open, recorded, seedLink, verdictIs } from "./browser.mjs";
import { give, pods, rules } from "./many.mjs";
import { measurePairs } from "./pairs.mjs";

const RUNS = 9;
const KEYS = 41;
const MANY_KEYS = 23;
/** Opens a sample by its name, as links of the Kyverno Playground open policies of its library. */
const CEL = "/#/?policy=cel/validating-policy";

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const line = (what, values, budget) => {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const verdict = median(values) <= budget ? "within" : "OVER";
  console.log(`${what.padEnd(60)}${median(values).toFixed(1).padStart(8)} ms  (${low.toFixed(1)} to ${high.toFixed(1)}; ${verdict} ${budget} ms)`);
};

const path = seedLink();
console.log(path ? "the seed's link" : "no recorded links beside the repository: the newcomer's sample instead");

/** From the start of the navigation until a verdict is on screen, nothing in any cache. */
async function cold(path) {
  const browser = await launch();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript(() => {
    const look = () => {
      if (document.querySelector(".results .rule")) requestAnimationFrame(() => (window.verdictAt ??= performance.now()));
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(process.env.PODSIEVE_URL + (path ?? "/"));
  const at = await page.waitForFunction(() => window.verdictAt).then((handle) => handle.jsonValue());
  await browser.close();
  return at;
}

/** Notes for each key press the time until the frame after its verdict, and what the engine took of it. */
function watchKeys() {
  window.times = [];
  let pressed = 0;
  document.addEventListener("keydown", () => (pressed = performance.now()), true);
  new MutationObserver(() => {
    const start = pressed;
    if (!start || document.querySelector(".results.stale")) return;
    pressed = 0;
    requestAnimationFrame(() => setTimeout(() => window.times.push([performance.now() - start, parseFloat(document.querySelector(".time").textContent)])));
  }).observe(document.querySelector(".results"), { attributes: true, attributeFilter: ["class"] });
}

/** From the key press in an editor until the frame after the new verdict, and what the engine took of it. */
async function keys(path, prepare, label = "Resources") {
  const browser = await launch();
  const { page, finish } = await open(browser, path);
  await prepare(page);
  await page.evaluate(watchKeys);
  await page.getByRole("textbox", { name: label, exact: true }).focus();
  await page.keyboard.press("Control+End");
  for (let key = 0; key < KEYS; key++) {
    await page.keyboard.press(key % 2 ? "Backspace" : "#");
    await page.waitForFunction((count) => window.times.length > count, key);
  }
  const times = await page.evaluate(() => window.times);
  await finish();
  await browser.close();
  // The first keys warm the engine up.
  return times.slice(5);
}

/** The recorded case of the library with the longest policy in CEL. */
function longest() {
  const file = join(recorded, "library/in.jsonl.gz");
  if (!existsSync(file)) return null;
  const cases = gunzipSync(readFileSync(file)).toString().trim().split("\n").map((line) => JSON.parse(line));
  const length = ({ policies }) => Math.max(...policies.map((text) => text.length));
  return cases.filter((one) => one.class === "cel").reduce((most, one) => (length(one) > length(most) ? one : most));
}

/** The same with this case. */
const largest = ({ policies, resources }) => async (page) => {
  await give(page, policies.join("---\n"), resources.join("---\n"));
  await page.waitForFunction(() => document.querySelector(".results .view")?.innerText && !document.querySelector(".results.stale"));
};

/** 500 resources under 20 rules: key presses, the longest frame of a scroll of three seconds, and the page's memory. */
async function scale() {
  const browser = await launch();
  const { page, finish } = await open(browser, "/");
  await give(page, rules(20), pods(500));
  await page.locator(".matrix").waitFor();
  await page.evaluate(watchKeys);
  await page.getByRole("textbox", { name: "Resources" }).focus();
  for (let key = 0; key < MANY_KEYS; key++) {
    await page.keyboard.press(key % 2 ? "Backspace" : "#");
    await page.waitForFunction((count) => window.times.length > count, key);
  }
  const times = (await page.evaluate(() => window.times)).slice(2);
  const frames = await page.evaluate(() => new Promise((resolve) => {
    const view = document.querySelector(".matrix");
    const [start, frames] = [performance.now(), []];
    let last = start;
    const step = (now) => {
      frames.push(now - last);
      last = now;
      view.scrollTop = ((now - start) / 3000) * (view.scrollHeight - view.clientHeight);
      if (now - start < 3000) requestAnimationFrame(step);
      else resolve(frames.slice(1));
    };
    requestAnimationFrame(step);
  }));
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize, embedderHeapUsedSize = 0, backingStorageSize = 0 } = await session.send("Runtime.getHeapUsage");
  await finish();
  await browser.close();
  return { times, frames, heap: (usedSize + embedderHeapUsedSize + backingStorageSize) / 1e6 };
}

if (process.argv.includes("pairs")) {
  await measurePairs();
  process.exit();
}
const openings = [];
for (let run = 0; run < RUNS; run++) openings.push(await cold(path));
line("link opened, nothing cached → verdict on screen", openings, 1000);
const inCel = [];
for (let run = 0; run < RUNS; run++) inCel.push(await cold(CEL));
line("the same with a policy in CEL, which needs the whole engine", inCel, 1200);
const pressed = await keys(path ?? undefined, (page) => verdictIs(page, path ? "2 pass" : "1 fail, 2 pass"));
line("key press → verdict on screen", pressed.map(([whole]) => whole), 50);
line("  of it in the engine", pressed.map(([, engine]) => engine), 2);
const most = longest();
console.log(most ? `the longest policy in CEL: ${most.id}, with ${most.resources.length} files of resources` : "no recorded answers beside the repository: not measured with the longest policy in CEL");
for (const label of most ? ["Resources", "Policies"] : []) {
  const times = await keys("/", largest(most), label);
  line(`with it, a key in ${label} → verdict on screen`, times.map(([whole]) => whole), 50);
  line("  of it in the engine", times.map(([, engine]) => engine), 20);
}
const many = await scale();
line("500 resources × 20 rules: key press → verdict", many.times.map(([whole]) => whole), 60);
line("  of it in the engine", many.times.map(([, engine]) => engine), 20);
console.log(`  longest frame of a scroll of 3 s ${Math.max(...many.frames).toFixed(0)} ms (50), heap ${many.heap.toFixed(0)} MB (300)`);
