// What a hostile link does to the page: opens it as somebody would, goes through what it offers, and measures.
// In: a browser, texts of a link. Out: {open, use, heap, peak, seen}: seconds of the page's main thread until it rests, the same
// while its tabs are opened, MB of its heap and of its process at most, the words of the verdict line.
// As a program, by `cargo xtask strangers [COUNT] [FIRST]`: so many links one after another; exit code 1 where one is not borne.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { encodeShare } from "../../engine/wasm/npm/dist/node.js";
import { address, launch } from "./browser.mjs";
import { hostile } from "./strangers.mjs";

/** Seconds of the main thread that a link may take until the page rests, and that one tab of it may take. */
export const LIMIT = 6;
/** Seconds by the clock until the page counts as frozen. */
const PATIENCE = 60;
/** A page rests when it worked less than this part of the time between two looks. */
const RESTS = 0.1;
const LOOK = 250;

const sleep = (millis) => new Promise((done) => setTimeout(done, millis));
const within = (promise, what) => Promise.race([promise, sleep(PATIENCE * 1000).then(() => Promise.reject(new Error(`frozen: ${what}`)))]);

/** The most memory that a process had, in MB. */
function peakOf(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Opens a link and uses the page. @param {import("playwright-core").Browser} browser @param {Record<string, string>} fields */
export async function meet(browser, fields, query = "") {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message.slice(0, 200)));
    page.on("dialog", (dialog) => errors.push(`dialog: ${dialog.message()}`));
    const session = await context.newCDPSession(page);
    // The time that the thread has worked, not the time that went by: other programs run beside it.
    await session.send("Performance.setTimeDomain", { timeDomain: "threadTicks" });
    await session.send("Performance.enable");
    const metric = async (name) => (await session.send("Performance.getMetrics")).metrics.find((one) => one.name === name)?.value ?? 0;
    const rest = async () => {
      let [last, at] = [await metric("TaskDuration"), Date.now()];
      for (const deadline = Date.now() + PATIENCE * 1000; Date.now() < deadline; ) {
        await sleep(LOOK);
        const [now, time] = [await metric("TaskDuration"), Date.now()];
        if ((now - last) * 1000 < RESTS * (time - at)) return now;
        [last, at] = [now, time];
      }
      throw new Error("frozen: it never rests");
    };
    await page.goto(`${address}/#/?content=${encodeShare(fields)}${query}`, { waitUntil: "commit" });
    const verdict = page.locator(".verdict");
    await within(page.waitForFunction(() => document.querySelector(".results:not(.stale)") && !/evaluating/i.test(document.querySelector(".verdict")?.textContent ?? ""), null, { timeout: 0 }), "no verdict");
    const open = await within(rest(), "after the verdict");
    const seen = (await verdict.innerText()).replace(/\s+/g, " ").slice(0, 160);
    let [use, before] = [0, open];
    for (const tab of await page.locator(".results [role=tab]").all()) {
      const name = await tab.innerText();
      await within(tab.click({ timeout: 0 }), `the tab ${name}`);
      const after = await within(rest(), `behind the tab ${name}`);
      use = Math.max(use, after - before);
      before = after;
    }
    const heap = (await metric("JSHeapUsedSize")) / 1e6;
    const processes = (await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo")).processInfo;
    const peak = Math.max(...processes.filter(({ type }) => type === "renderer").map(({ id }) => peakOf(id)));
    return { open, use, heap, peak, seen, errors };
  } finally {
    await within(context.close(), "to close");
  }
}

/** What is wrong with what a link did; nothing where it is borne. */
export function wrong({ open, use, errors }) {
  return [
    ...(open > LIMIT ? [`${open.toFixed(1)} s of the main thread until it rests`] : []),
    ...(use > LIMIT ? [`${use.toFixed(1)} s of the main thread for one tab`] : []),
    ...errors,
  ];
}

/** Meets the links of these numbers, and prints a line for each. */
async function all(count, first) {
  let [failed, longest, browser] = [0, 0, await launch()];
  for (let number = first; number < first + count; number++) {
    const { name, fields } = hostile(number);
    try {
      const found = await meet(browser, fields);
      const faults = wrong(found);
      longest = Math.max(longest, found.open, found.use);
      if (faults.length) failed++;
      const times = `${found.open.toFixed(2)} s, tabs ${found.use.toFixed(2)} s, heap ${found.heap.toFixed(0)} MB, peak ${found.peak.toFixed(0)} MB`;
      console.log(`${faults.length ? "WRONG" : "borne"}  ${name.padEnd(44)} ${times}  ${found.seen}  ${faults.join("; ")}`);
    } catch (error) {
      failed++;
      console.log(`WRONG  ${name.padEnd(44)} ${error.message.split("\n")[0]}`);
      browser.close().catch(() => {});
      browser = await launch();
    }
  }
  await browser.close();
  console.log(`${count - failed} of ${count} links are borne; the longest work of one took ${longest.toFixed(1)} s of ${LIMIT}`);
  process.exitCode = failed ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [count = 200, first = 0] = process.argv.slice(2).map(Number);
  await all(count, first);
}
