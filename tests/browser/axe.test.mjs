// axe-core in every view, old and new: light and dark, on a desktop and on a phone; and nothing is wider than the screen.
// In: the built www/dist, served. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, eventually, launch, open, openSample, phone, story } from "./browser.mjs";
import { give, pods, rules } from "./many.mjs";
import { listed, write } from "./typing.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const variants = { light: {}, dark: { colorScheme: "dark" }, phone: { ...phone, colorScheme: "light" }, "phone, dark": { ...phone, colorScheme: "dark" } };

/** What there is to say of the page as it stands. */
async function look(page, what) {
  assert.deepEqual(await axe(page), [], what);
  const surplus = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(surplus <= 0, `${what}: ${surplus} pixels too wide`);
}

/** On a phone, another of its three columns. */
const turn = async (page, view) => {
  const button = page.locator(".views").getByRole("button", { name: view });
  if (await button.isVisible()) await button.tap();
};

/** All tabs that stand beside the results, each once it has its answer. */
async function tabs(page, what) {
  for (const tab of await page.locator(".results [role=tab]").all()) {
    await tab.click();
    await page.waitForTimeout(150);
    await page.waitForFunction(() => !document.querySelector(".late [aria-busy=true]"), null, { polling: 50 });
    await look(page, `${what}: ${await tab.innerText()}`);
    const surplus = await page.locator("#result-view").evaluate((view) => view.scrollWidth - view.clientWidth);
    assert.ok(surplus <= 0, `${what}: ${await tab.innerText()} is ${surplus} pixels too wide`);
  }
}

const SAMPLES = [
  "A level for each Namespace",
  "Step 1: the Deployment passes, its Pod does not",
  "Clean up: what would be deleted",
  "Verify: what an image was signed for",
  "In CEL: generate a NetworkPolicy",
  "In CEL: what would be deleted",
  "In CEL: any JSON",
  "In CEL: an exception for one image",
  "In CEL: images are signed",
];

const BROKEN = `apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata:
  name: p
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations:
    - expression: object.metadata.name.startWith‸('a')
`;

for (const [name, options] of Object.entries(variants)) {
  test(`axe finds nothing in any tab of samples of each kind, ${name}`, async () => {
    const { page, finish } = await open(browser, story, options);
    for (const sample of SAMPLES) {
      await openSample(page, sample);
      await tabs(page, sample);
    }
    await openSample(page, "Step 1: the Deployment passes, its Pod does not");
    await page.getByRole("tab", { name: "Sieve" }).click();
    await page.locator(".funnel table").waitFor();
    await look(page, "the funnel");
    await page.getByRole("button", { name: "Narrow it for me" }).click();
    await page.locator(".narrow .form").first().waitFor();
    await look(page, "the narrowest exemption");
    await finish();
  });

  test(`axe finds nothing in panels, lists and editors, ${name}`, async () => {
    const { page, finish } = await open(browser, "/", options);
    await look(page, "the first screen");
    for (const panel of ["samples", "open", "share", "spaces", "about"]) {
      await page.click(`#open-${panel}`);
      for (const more of await page.locator(".panel details:not([open]) > summary").all()) await more.click();
      await look(page, panel);
      await page.click(`#open-${panel}`);
    }
    await page.keyboard.press("Control+k");
    await page.keyboard.type("pod");
    await look(page, "commands");
    await page.keyboard.press("Escape");
    await turn(page, "Policies");
    await look(page, "policies");
    await page.click("#add-policies");
    await look(page, "further inputs");
    await page.click("#add-policies");
    const editor = await write(page, BROKEN);
    await page.locator(".policies .cm-lintRange-error").first().waitFor();
    await look(page, "a problem");
    await eventually(async () => {
      await page.keyboard.press("Escape");
      await page.keyboard.press("Alt+i");
      await page.locator(".cm-about .cm-button").first().waitFor({ timeout: 1000 });
    });
    await look(page, "the card of a problem");
    await page.keyboard.press("Escape");
    await write(page, BROKEN.replace("startWith‸('a')", "sta‸"));
    await page.keyboard.press("Control+Space");
    await listed(page);
    await look(page, "completion");
    await page.keyboard.press("Escape");
    await editor.focus();
    await page.keyboard.press("Control+f");
    await look(page, "search");
    await page.keyboard.press("Escape");
    await turn(page, "Resources");
    await look(page, "resources");
    await turn(page, "Results");
    await tabs(page, "a policy that is refused");
    await finish();
  });

  test(`axe finds nothing in a table of many verdicts, in what was compared and converted, in an empty page and within another page, ${name}`, async () => {
    const { page, finish } = await open(browser, "/", options);
    await give(page, rules(12), pods(90));
    await page.locator(".matrix td.is-fail").first().click();
    await page.locator(".detail").waitFor();
    await look(page, "many");
    await page.getByRole("button", { name: "As a list" }).click();
    await look(page, "many as a list");
    await openSample(page, "A rewrite that admits more");
    const compare = page.locator(".compare");
    for (const [button, there] of [["Compare", ".grade"], ["Convert to CEL", ".converted"]]) {
      await compare.getByRole("button", { name: button, exact: true }).click();
      await compare.locator(there).waitFor();
      await page.locator(".compare[aria-busy=false]").waitFor();
      // What is opened is not among the closed ones any more.
      const closed = compare.locator("details:not([open]) > summary");
      for (let left = await closed.count(); left > 0; left -= 1) await closed.first().click();
      await look(page, button);
    }
    await turn(page, "Resources");
    await look(page, "new policies");
    await page.getByRole("button", { name: "New", exact: true }).click();
    await look(page, "empty");
    await finish();
    const small = await open(browser, `${story}&embed=1`, { ...options, viewport: { width: 400, height: 500 } });
    await look(small.page, "within another page");
    await small.finish();
  });
}
