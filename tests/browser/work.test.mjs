// The reader's own work: files in and out, other forms of a link, the page inside another one, the page offline.
// In: the built www/dist, served. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { address, axe, counts, eventually, launch, open, openSample, retype, says, verdictIs, story } from "./browser.mjs";
import { unzip } from "./zip.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const policy = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: from-a-file\nspec:\n  rules:\n    - name: named\n      match:\n        any:\n          - resources:\n              kinds: [Pod]\n      validate:\n        message: another name\n        pattern:\n          metadata:\n            name: web\n";
const pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: db\n";

/** Chooses files as a person does in the browser's own dialog. */
async function choose(page, files) {
  await page.click("#open-open");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose files…" }).click();
  await (await chooser).setFiles(files.map(([name, text]) => ({ name, mimeType: "application/yaml", buffer: Buffer.from(text) })));
}

test("chosen files go to their inputs, and the way back restores what was there", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Resources", "SYS_ADMIN", "NET_RAW");
  await verdictIs(page, "3 pass");
  await choose(page, [["all.yaml", `${policy}---\n${pod}`]]);
  await verdictIs(page, "1 fail");
  await says(page.locator(".notice"), /all\.yaml read into Policies, Resources/);
  await page.getByRole("button", { name: "Back to your work" }).click();
  await verdictIs(page, "3 pass");
  await finish();
});

test("dropped files are taken, anywhere on the page", async () => {
  const { page, finish } = await open(browser);
  const data = await page.evaluateHandle(([text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "pod.yaml"));
    return data;
  }, [pod]);
  await page.dispatchEvent(".policies .cm-content", "dragover", { dataTransfer: data });
  assert.notEqual(await page.getAttribute("html", "data-drop"), null);
  await page.dispatchEvent(".policies .cm-content", "drop", { dataTransfer: data });
  await page.locator(".group h3", { hasText: "Pod db" }).waitFor();
  assert.equal(await page.getAttribute("html", "data-drop"), null);
  await finish();
});

test("a document goes by its own kind: one line of JSON, keys in any order, a text that cannot be read", async () => {
  const { page, finish } = await open(browser);
  const named = (name) => ({ apiVersion: "kyverno.io/v1", kind: "ClusterPolicy", metadata: { name } });
  const late = "metadata:\n  name: late\n  ownerReferences:\n    - apiVersion: v1\n      kind: Pod\n      name: a\n  labels:\n    kind: Pod\nspec: {}\napiVersion: kyverno.io/v1\nkind: ClusterPolicy\n";
  const torn = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: torn\n";
  const held = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held}\ndata:\n  text: |\n    kind: ClusterPolicy\n";
  await choose(page, [["one.json", JSON.stringify(named("one"))], ["all.yaml", `# says nothing\n---\n${late}---\r\n${held}--- # torn\n${torn}`]]);
  await says(page.locator(".notice"), /one\.json, all\.yaml read into Policies, Resources/);
  const text = (side) => page.locator(`.${side} .cm-content`).innerText();
  const [policies, resources] = [await text("policies"), await text("resources")];
  for (const name of ["one", "late", "torn"]) assert.match(policies, new RegExp(`name"?: ?"?${name}`), name);
  assert.match(resources, /name: held/);
  assert.doesNotMatch(resources, /name"?: ?"?(one|late|torn)/);
  assert.doesNotMatch(policies, /held|says nothing/);
  await finish();
});

test("what is too large or too much is told, and not said to be read", async () => {
  const { page, finish } = await open(browser);
  const big = `${pod}# ${"x".repeat(4 * 1024 * 1024)}\n`;
  const latin1 = Buffer.from(pod.replace("db", "m\u00fcller"), "latin1");
  await choose(page, [["small.yaml", pod], ["big.yaml", big], ["latin1.yaml", latin1]]);
  await says(page.locator(".notice"), /small\.yaml read into Resources/);
  await says(page.locator(".notice"), /not read, as larger than 4 MiB, no UTF-8 text or no manifest: big\.yaml, latin1\.yaml/);
  await page.keyboard.press("Escape");
  const pods = Array.from({ length: 202 }, (_, at) => [`p${at}.yaml`, pod.replace("db", `db-${at}`)]);
  await choose(page, [["policy.yaml", policy], ...pods]);
  await says(page.locator(".notice"), /not read, as more than 200 files or 32 MiB at once: 3 more/);
  await verdictIs(page, "199 fail");
  await finish();
});

test("playground.yaml goes out and comes back the same", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Resources", "shop-with-istio", "umlaut-ü-😀");
  await page.locator(".group h3", { hasText: "umlaut" }).waitFor();
  await page.click("#open-share");
  const link = await page.inputValue("#share-original");
  await page.locator(".panel summary").click();
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save as playground.yaml" }).click();
  const download = await saved;
  assert.equal(download.suggestedFilename(), "playground.yaml");
  const text = readFileSync(await download.path(), "utf8");
  assert.match(text, /^date: /);
  await page.keyboard.press("Escape");
  const again = await open(browser);
  await choose(again.page, [["playground.yaml", text]]);
  await again.page.locator(".group h3", { hasText: "umlaut" }).waitFor();
  await again.page.click("#open-share");
  assert.equal(await again.page.inputValue("#share-original"), link);
  await again.finish();
  await finish();
});

test("a link is shared as Markdown, as a frame and as a command", async () => {
  const { page, finish } = await open(browser);
  await page.click("#open-share");
  await page.locator(".panel summary").click();
  assert.match(await page.inputValue("#share-markdown"), /^\[podsieve: 1 fail, 2 pass\]\(http.*#\/\?content=[A-Za-z0-9%/=]+\)$/);
  assert.match(await page.inputValue("#share-frame"), /^<iframe src="http[^"]*&embed=1" title="podsieve" width="100%" height="400"><\/iframe>$/);
  assert.match(await page.inputValue("#share-command"), /^podsieve share open 'https:\/\/playground\.kyverno\.io\/#\/\?content=[^']+'$/);
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("inside another page it is compact, fits 400 pixels and keeps nothing", async () => {
  const { page, finish } = await open(browser);
  await page.click("#open-share");
  const frame = await page.inputValue("#share-frame");
  const path = new URL(/src="([^"]*)"/.exec(frame)[1]).hash;
  const inner = await open(browser, `/${path}`, { viewport: { width: 700, height: 400 } });
  await verdictIs(inner.page, "1 fail, 2 pass");
  await counts(inner.page.locator("#open-samples"), 0);
  assert.ok((await inner.page.locator(".group").first().boundingBox()).y < 120);
  assert.ok((await inner.page.evaluate(() => document.documentElement.scrollHeight)) <= 400);
  // It is made when somebody turns to it.
  const whole = inner.page.getByRole("link", { name: "Open the whole page" });
  await whole.focus();
  await eventually(async () => assert.match(await whole.getAttribute("href"), /#\/\?content=/));
  // One view at a time fits here.
  const turn = (view) => inner.page.locator(".views").getByRole("button", { name: view }).click();
  await turn("Resources");
  await retype(inner.page, "Resources", "SYS_ADMIN", "NET_RAW");
  await verdictIs(inner.page, "3 pass");
  await turn("Results");
  assert.deepEqual(await axe(inner.page), []);
  // The whole page, edited later, has kept its work by then.
  const kept = (page) => page.evaluate(() => localStorage.getItem("podsieve:work"));
  await page.keyboard.press("Escape");
  await retype(page, "Resources", "SYS_ADMIN", "NET_RAW");
  await eventually(async () => assert.match(await kept(page), /NET_RAW/));
  assert.equal(await kept(inner.page), null);
  await inner.finish();
  await finish();
});

test("the question mark opens the sheet of keys, but not while one types", async () => {
  const { page, finish } = await open(browser);
  await page.locator(".results .view").focus();
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keyboard" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Policies" }).focus();
  await page.keyboard.type("?");
  await says(page.locator(".policies .field:visible .cm-activeLine"), /\?/);
  await counts(page.locator(".panel"), 0);
  await finish();
});

test("after the first visit the page works without a network", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  await verdictIs(page, "1 fail, 1 pass");
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => new Promise((done) => setTimeout(done, 200))));
  await context.setOffline(true);
  await page.reload();
  await verdictIs(page, "1 fail, 1 pass");
  await retype(page, "Resources", "app: search", "team: shop");
  await verdictIs(page, "2 pass");
  await context.close();
});

for (const sample of ["A gap in the policy for service meshes", "A level for each Namespace", "Rights in a Namespace that is just made"]) {
  test(`a test folder with today's verdicts passes in the terminal: ${sample}`, async () => {
    const { page, finish } = await open(browser);
    await openSample(page, sample);
    await page.click("#open-share");
    await page.getByText("Other forms").click();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a test folder" }).click();
    const files = unzip(readFileSync(await (await download).path()));
    assert.equal([...files.keys()][0], "podsieve-test/kyverno-test.yaml");
    assert.ok(files.has("podsieve-test/policies.yaml") && files.has("podsieve-test/resources.yaml"));
    await finish();
    assert.ok(existsSync(process.env.PODSIEVE ?? ""), "no built podsieve: `cargo xtask test browser` builds it and says where it is");
    const folder = mkdtempSync(join(tmpdir(), "podsieve-"));
    for (const [name, text] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    // It fails where a test does, and where a success is none.
    const said = execFileSync(process.env.PODSIEVE, ["test", "--strict", join(folder, "podsieve-test")], { encoding: "utf8" });
    rmSync(folder, { recursive: true });
    assert.match(said, /Test Summary: [1-9][0-9]* tests? passed and 0 tests failed/);
  });
}

test("a newer version is announced, colours chosen by the system keep what is chosen visible", async () => {
  const { page, finish } = await open(browser, story, { forcedColors: "active" });
  await page.evaluate(() => dispatchEvent(new Event("podsieve-news")));
  await page.locator(".notice", { hasText: "a new version of this page is ready" }).waitFor();
  const outline = await page.locator(".rule.chosen").evaluate((row) => getComputedStyle(row).outlineStyle);
  assert.equal(outline, "solid");
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.locator(".toolbar .tools").isVisible(), false);
  await page.locator(".rule.chosen").waitFor();
  await finish();
});
