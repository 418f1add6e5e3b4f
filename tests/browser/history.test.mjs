// The browser's own ways: Back and Forward, the address, saving, folders; and the keyboard after the commands.
// In: the built www/dist, served.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { address, axe, counts, eventually, launch, open, openSample, retype, says, verdictIs } from "./browser.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Waits until the address matches. */
const addressIs = (page, wanted) => eventually(() => assert.match(page.url().slice(address.length), wanted));

test("opening makes an entry: Back shows what was there as it was, Forward what came after", async () => {
  const { page, finish } = await open(browser, "/");
  await verdictIs(page, "1 fail, 1 pass");
  await retype(page, "Resources", "app: search", "team: shop");
  await verdictIs(page, "2 pass");
  await openSample(page, "Disallow the latest tag");
  await addressIs(page, /^\/#\/\?policy=good-practice\/disallow-latest-tag$/);
  await page.getByRole("button", { name: "New", exact: true }).click();
  await verdictIs(page, "no policy");
  await page.goBack();
  await page.locator(".notice", { hasText: "Disallow the latest tag" }).waitFor();
  await page.goBack();
  await verdictIs(page, "2 pass");
  await page.locator(".resources .cm-content", { hasText: "team: shop" }).waitFor();
  await page.goForward();
  await page.locator(".policies .cm-content", { hasText: "latest" }).waitFor();
  // After a reload the address tells.
  await page.reload();
  await page.locator(".policies .cm-content", { hasText: "latest" }).waitFor();
  await page.goBack();
  await verdictIs(page, "2 pass");
  await finish();
});

test("what was typed a moment before something else was opened is there again after a reload and Back", async () => {
  const { page, finish } = await open(browser, "/");
  await verdictIs(page, "1 fail, 1 pass");
  await retype(page, "Resources", "app: search", "team: shop");
  await openSample(page, "Disallow the latest tag");
  await page.reload();
  await page.locator(".policies .cm-content", { hasText: "latest" }).waitFor();
  await page.goBack();
  await verdictIs(page, "2 pass");
  await finish();
});

test("a name typed into the address opens its sample, and Back shows the texts that stood there", async () => {
  const { page, finish } = await open(browser, "/");
  await verdictIs(page, "1 fail, 1 pass");
  await retype(page, "Resources", "app: search", "team: shop");
  await verdictIs(page, "2 pass");
  await addressIs(page, /content=/);
  await page.evaluate(() => (location.hash = "#/?policy=best-practices/disallow-latest-tag/disallow-latest-tag.yaml"));
  await page.locator(".policies .cm-content", { hasText: "latest" }).waitFor();
  await addressIs(page, /policy=good-practice/);
  await page.goBack();
  await page.locator(".resources .cm-content", { hasText: "team: shop" }).waitFor();
  await verdictIs(page, "2 pass");
  await page.goForward();
  await page.locator(".policies .cm-content", { hasText: "latest" }).waitFor();
  await finish();
});

test("what is in the clipboard can be pasted as soon as Open… stands there", async () => {
  const { page, finish } = await open(browser, "/");
  await page.getByRole("button", { name: "Open…" }).click();
  await page.waitForFunction(() => document.activeElement.id === "pasted");
  await page.keyboard.insertText("apiVersion: v1\nkind: Pod\n");
  await page.keyboard.press("Enter");
  await says(page.getByRole("alert"), /^this is YAML, not a link/);
  await page.keyboard.press("Escape");
  await counts(page.locator("#pasted"), 0);
  await finish();
});

test("the address follows the text, and opens elsewhere as it is; long texts and Secrets stay out of it", async () => {
  const { page, finish } = await open(browser, "/");
  assert.equal(page.url(), `${address}/`);
  const entries = await page.evaluate(() => history.length);
  await retype(page, "Resources", "app: search", "team: shop");
  await addressIs(page, /^\/#\/\?content=N4Ig/);
  assert.equal(await page.evaluate(() => history.length), entries);
  const again = await open(browser, page.url().slice(address.length));
  await verdictIs(again.page, "2 pass");
  await again.finish();
  await page.reload();
  await verdictIs(page, "2 pass");
  await counts(page.locator(".notice .note"), 0);
  const text = page.getByRole("textbox", { name: "Resources", exact: true });
  await text.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("---\napiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {key: dmFsdWU=}\n");
  await addressIs(page, /^\/$/);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("kind: Pod\n");
  await addressIs(page, /^\/#\/\?content=N4Ig/);
  await page.keyboard.insertText(`# ${"x".repeat(17_000)}\n`);
  await addressIs(page, /^\/$/);
  await finish();
});

test("Control and S shares", async () => {
  const { page, finish } = await open(browser, "/");
  await page.getByRole("textbox", { name: "Policies", exact: true }).focus();
  await page.keyboard.press("Control+s");
  await page.getByRole("dialog", { name: "Share" }).waitFor();
  await finish();
});

test("a folder is read with the folders in it, a List item by item, and a README is not a manifest", async () => {
  const { page, finish } = await open(browser, "/");
  const folder = mkdtempSync(join(tmpdir(), "podsieve-"));
  try {
    mkdirSync(join(folder, "inner"));
    mkdirSync(join(folder, ".git"));
    const pod = (name) => ({ apiVersion: "v1", kind: "Pod", metadata: { name, labels: { team: "a" } } });
    writeFileSync(join(folder, "README.md"), "# Pods\n\napiVersion: v1\nkind: Pod\n");
    writeFileSync(join(folder, ".git", "hidden.yaml"), JSON.stringify(pod("hidden")));
    writeFileSync(join(folder, "inner", "list.json"), JSON.stringify({ apiVersion: "v1", kind: "List", items: [pod("one"), pod("two")] }));
    writeFileSync(join(folder, "three.yaml"), "apiVersion: v1\nkind: PodList\nmetadata: {}\nitems:\n# the third\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: three\n");
    await page.click("#open-open");
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose a folder…" }).click();
    await (await chooser).setFiles(folder);
    await verdictIs(page, "1 fail, 2 pass");
    await says(page.locator(".notice"), /list\.json/);
    // As it was written.
    await page.locator(".resources .cm-content", { hasText: "name: three" }).waitFor();
    await page.click("#open-open");
    const files = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose files…" }).click();
    await (await files).setFiles([join(folder, "README.md")]);
    await says(page.locator(".notice"), /not read, .*: README\.md/);
    await verdictIs(page, "1 fail, 2 pass");
  } finally {
    rmSync(folder, { recursive: true });
  }
  await finish();
});

test("after the commands the keyboard is somewhere, also where nothing had it", async () => {
  const { page, finish } = await open(browser, "/");
  await page.keyboard.press("Control+k");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement.id === "tab-results");
  await page.click("#open-about");
  await page.getByRole("button", { name: "commands" }).click();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement.id === "tab-results");
  await finish();
});

test("the sheet of keys leads to the documents, and wraps long lines on request", async () => {
  const { page, finish } = await open(browser, "/");
  await page.click("#open-about");
  assert.deepEqual(await axe(page), []);
  for (const link of await page.locator(".panel a").all()) {
    const found = await page.request.get(new URL(await link.getAttribute("href"), address).href);
    assert.ok(found.ok() && (await found.text()).length > 500, await link.innerText());
  }
  assert.ok((await page.locator(".panel a").count()) >= 5);
  await page.getByRole("checkbox", { name: "Wrap long lines in the editors" }).check();
  await page.locator(".policies .cm-lineWrapping").waitFor();
  await page.reload();
  await page.locator(".policies .cm-lineWrapping").waitFor();
  await page.getByRole("textbox", { name: "Policies", exact: true }).focus();
  await page.keyboard.press("Alt+z");
  await counts(page.locator(".cm-lineWrapping"), 0);
  await finish();
});
