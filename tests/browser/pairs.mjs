// How long *Compare* takes on the page: each pair of Kyverno's library (a policy, and the same in CEL), from the click until the whole
// answer is on screen. In: CHROMIUM, PODSIEVE_URL and CONFORMANCE, set by `cargo xtask bench page pairs`. Out: the median and the slowest.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { launch, open, recorded } from "./browser.mjs";

const library = join(recorded, "trees/policies");
const ENDS = /-(vpol|cel|mpol|gpol)$/;
const BUDGET = 3000;

/** The files of policies below a folder, as paths from it. */
function policies(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && entry.name.endsWith(".yaml"));
  const paths = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).filter((path) => !path.split("/").some((part) => part.startsWith(".")));
  return paths.filter((path) => /^kind: \w*Policy\s*$/m.test(readFileSync(join(folder, path), "utf8"))).sort();
}

/** Those files that stand in a folder and in the one that holds the same in CEL. */
function pairs() {
  const inCel = readdirSync(library).filter((name) => ENDS.test(name) && existsSync(join(library, name.replace(ENDS, ""))));
  const both = inCel.flatMap((name) => policies(join(library, name)).map((file) => [join(library, name.replace(ENDS, ""), file), join(library, name, file)]));
  return both.filter(([old]) => existsSync(old));
}

async function type(page, label, text) {
  await page.getByRole("textbox", { name: label, exact: true }).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

/** Compares each pair and prints what is over the budget; then the median. */
export async function measurePairs() {
  if (!existsSync(library)) return console.log("no recorded library beside the repository: its pairs are not measured");
  const browser = await launch();
  const { page, finish } = await open(browser, "/");
  await page.getByRole("tab", { name: "Compare", exact: true }).click();
  await page.getByRole("tab", { name: "New policies", exact: true }).click();
  const compare = page.locator(".compare").getByRole("button", { name: "Compare", exact: true });
  const taken = [];
  for (const [old, renewed] of pairs()) {
    await type(page, "Policies", readFileSync(old, "utf8"));
    await type(page, "New policies", readFileSync(renewed, "utf8"));
    // The page reads a text a moment after the last key.
    await page.waitForTimeout(400);
    await compare.waitFor();
    const time = await page.evaluate(() => new Promise((resolve) => {
      const [panel, begun] = [document.querySelector(".compare"), performance.now()];
      new MutationObserver((_, observer) => {
        if (panel.getAttribute("aria-busy") === "true" || !panel.querySelector(".grade h3")) return;
        observer.disconnect();
        requestAnimationFrame(() => resolve(performance.now() - begun));
      }).observe(panel, { attributes: true, attributeFilter: ["aria-busy"] });
      [...panel.querySelectorAll("button")].find((button) => button.textContent.trim() === "Compare").click();
    }));
    taken.push([time, relative(library, renewed), await page.locator(".compare .grade h3").innerText()]);
    if (time > BUDGET) console.log(`${time.toFixed(0).padStart(8)} ms  OVER ${BUDGET} ms: ${relative(library, renewed)}`);
  }
  await finish();
  await browser.close();
  taken.sort(([one], [other]) => one - other);
  const counts = {};
  for (const [, , grade] of taken) counts[grade] = (counts[grade] ?? 0) + 1;
  const grades = Object.entries(counts).map(([grade, count]) => `${count} ${grade.toLowerCase()}`);
  console.log(`${taken.length} pairs of the library (${grades.join(", ")}): median ${taken[taken.length >> 1][0].toFixed(0)} ms, slowest ${taken.at(-1)[0].toFixed(0)} ms (${taken.at(-1)[1]})`);
}
