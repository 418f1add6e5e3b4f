// What is said of texts that cannot be used: beside the results, in one row for many places, and not only below the editors.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, counts, launch, open, phone, says } from "./browser.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const write = async (page, label, text) => {
  await page.getByRole("textbox", { name: label, exact: true }).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
};
const policy = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: a\n";
const pod = (name) => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n  contaners: []\n  containers:\n    - {name: a, image: a}\n`;

test("Results says what to do about a text that cannot be used", async () => {
  const { page, finish } = await open(browser, "/");
  await write(page, "Policies", `${policy}spec:\n\trules: []\n`);
  await says(page.locator("#result-view .empty"), /there is a tab here: YAML indents with spaces[^]*cannot start any token[^]*policies line 6/);
  await finish();
});

test("what is said of many places is one row, its words quoted as code, and the list folds", async () => {
  const { page, finish } = await open(browser, "/");
  await write(page, "Resources", [..."abcdefgh"].map(pod).join("---\n"));
  const row = page.locator(".problems li", { hasText: "contaners" });
  await says(row, /a Pod has no field spec\.contaners[^]*resources line 6[^]*resources line 51[^]*and 2 more/);
  await counts(row, 1);
  await says(row.locator("code").first(), "spec.contaners");
  assert.deepEqual(await axe(page), []);
  const head = page.getByRole("button", { name: "8 problems in the texts" });
  await head.click();
  await counts(page.locator(".problems li"), 0);
  assert.equal(await head.getAttribute("aria-expanded"), "false");
  await head.click();
  await counts(page.locator(".problems li"), 1);
  await finish();
});

test("verdicts beside a document that could not be read say that they are not all", async () => {
  const { page, finish } = await open(browser, "/");
  await write(page, "Resources", `${pod("a")}---\nkind: [x\n`);
  await says(page.locator(".verdict"), /1\s+fail[^]*1\s+not evaluated/);
  await says(page.locator("#result-view"), /One document or rule could not be evaluated \(see Problems\)/);
  await finish();
});

test("a phone has New in its top line, and what it says goes with the first text", async () => {
  const { page, finish } = await open(browser, "/", phone);
  await page.getByRole("button", { name: "New", exact: true }).tap();
  await says(page.locator(".notice"), /An empty workspace/);
  // One line of menus: the last stands as high as the first.
  const top = async (name) => (await page.getByRole("button", { name, exact: true }).boundingBox()).y;
  assert.ok(Math.abs((await top("New")) - (await top("?"))) < 20);
  await write(page, "Policies", policy);
  await counts(page.locator(".notice .note"), 0);
  await finish();
});

test("the first thing to copy is a link for this page", async () => {
  const { page, finish } = await open(browser, "/");
  await page.click("#open-share");
  const ids = await page.locator(".panel .copy input").evaluateAll((fields) => fields.map((field) => field.id));
  assert.deepEqual(ids.slice(0, 2), ["share-own", "share-original"]);
  await finish();
});

test("a link to a file of the library names the file, not a folder of its name", async () => {
  const { page, finish } = await open(browser, "/#/?policy=other/no-such/no-such.yaml");
  await says(page.locator(".notice"), /main\/other\/no-such\/no-such\.yaml into Policies/);
  await finish();
});
