// What strangers send: hostile links, files without end, places where nothing may be kept. The page answers, says what is
// the matter, and goes on.
// In: the built www/dist, served. `cargo xtask strangers` opens two hundred hostile links; here is a sample of them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { encodeShare } from "../../engine/wasm/npm/dist/node.js";
import { LIMIT, meet, wrong } from "./stranger.mjs";
import { eventually, launch, open, phone, retype, says, verdictIs } from "./browser.mjs";
import { hostile } from "./strangers.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const policy = (message) =>
  `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: check}\nspec:\n  rules:\n  - name: team\n    match: {any: [{resources: {kinds: [Pod]}}]}\n    validate:\n      message: ${JSON.stringify(message)}\n      pattern: {metadata: {labels: {team: "?*"}}}\n`;
const pod = (name) => `apiVersion: v1\nkind: Pod\nmetadata: {name: ${JSON.stringify(name)}}\nspec: {containers: [{name: main, image: nginx}]}\n`;
const link = (fields) => `/#/?content=${encodeShare(fields)}`;
/** How many characters stand in the results, and how many elements. */
const drawn = (page) => page.evaluate(() => [document.querySelector(".results").textContent.length, document.querySelectorAll(".results *").length]);

for (const number of [4, 29, 63, 101, 148]) {
  const { name, fields } = hostile(number);
  test(`the hostile link ${name} leaves the page alive`, async () => {
    assert.deepEqual(wrong(await meet(browser, fields)), []);
  });
}

test("of a message of a million lines the beginning is shown, and more when asked", async () => {
  const { page, finish } = await open(browser, link({ policy: policy("\n".repeat(1_000_000)), resource: pod("a".repeat(1_000_000)) }));
  await verdictIs(page, "1 fail");
  const [characters, elements] = await drawn(page);
  assert.ok(characters < 10_000 && elements < 500, `${characters} characters, ${elements} elements`);
  await says(page.locator(".results h3").first(), /Pod a{500}… \(999500 more characters\)$/);
  const message = page.locator(".rule .message");
  const more = message.getByRole("button", { name: /^show more of \d+ further characters$/ });
  await more.click();
  await eventually(async () => assert.ok((await message.innerText()).length > 400));
  const title = await page.getByRole("tab", { name: "Why" });
  await title.click();
  await page.locator(".why .because .message").waitFor();
  assert.ok((await page.locator(".why").innerText()).length < 20_000);
  await finish();
});

test("a line of braces without end has so many colours and no more, and can be edited", async () => {
  const { page, finish } = await open(browser, link({ policy: `# ${"{{ a.b".repeat(100_000)}\n${policy("no")}`, resource: `${pod("a")}# ${"\u200b".repeat(5000)}\n` }));
  await verdictIs(page, "1 fail");
  await page.locator(".pane.policies .cm-expression").first().waitFor();
  for (const pane of ["policies", "resources"]) {
    const spans = await page.locator(`.pane.${pane} .cm-line`).evaluateAll((lines) => lines.map((line) => line.querySelectorAll("span").length));
    assert.ok(Math.max(...spans) <= 700, `${spans}`);
  }
  const started = Date.now();
  await retype(page, "Resources", "nginx", "caddy");
  await page.locator(".pane.resources .cm-line", { hasText: "caddy" }).waitFor();
  assert.ok(Date.now() - started < LIMIT * 1000);
  await finish();
});

test("three hundred thousand small documents are read with progress, and come to an end", async () => {
  const { page, finish } = await open(browser);
  await page.click("#open-open");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose files…" }).click();
  await page.evaluate(() => {
    window.said = [];
    new MutationObserver(() => window.said.push(document.querySelector(".notice")?.textContent ?? "")).observe(document.querySelector("#app"), { subtree: true, childList: true, characterData: true });
  });
  const buffer = Buffer.from(`${policy("no")}---\n${"a: 1\n---\n".repeat(300_000)}${pod("web")}`);
  const begun = Date.now();
  await (await chooser).setFiles([{ name: "many.yaml", mimeType: "application/yaml", buffer }]);
  await page.locator(".notice", { hasText: "many.yaml read into" }).waitFor({ timeout: 120_000 });
  const took = Date.now() - begun;
  const said = await page.evaluate(() => window.said.filter((text) => /reading: \d+ of 300002 documents/.test(text)).length);
  // It is said every 300 ms at most, and not all of the time is the reading: a fast machine has little to report.
  const wanted = Math.max(1, Math.floor(took / 1000));
  assert.ok(said >= wanted, `${said} times in ${took} ms`);
  await page.waitForFunction(() => !document.querySelector(".results.stale"), null, { timeout: 60_000 });
  assert.match(await page.locator(".verdict").innerText(), /1\s+fail|ended after 5 seconds|more than 134 MB/);
  await finish();
});

/** Browsers that block cookies, or show the page within another one, forbid these by an error where they are named. */
function forbid() {
  const refuse = () => {
    throw new DOMException("Access is denied for this document.", "SecurityError");
  };
  for (const name of ["localStorage", "sessionStorage", "indexedDB", "caches"]) Object.defineProperty(window, name, { get: refuse });
  Object.defineProperty(Navigator.prototype, "serviceWorker", { get: refuse });
}

for (const [where, options] of [["", {}], [" on a phone", phone]]) {
  test(`where nothing may be kept the page works and says so${where}`, async () => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const errors = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.addInitScript(forbid);
    await page.goto(process.env.PODSIEVE_URL);
    await verdictIs(page, "1 fail, 1 pass");
    await page.locator(".notice", { hasText: "does not let the page keep anything" }).waitFor();
    if (!where) {
      await retype(page, "Resources", "app: search", "team: shop");
      await verdictIs(page, "2 pass");
      await page.locator(".problems", { hasText: "does not let the page keep anything" }).waitFor();
      await page.click("#open-spaces");
      await page.fill("#space-name", "mine");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.locator(".saved", { hasText: "does not let the page keep anything" }).waitFor();
    }
    assert.deepEqual(errors, []);
    await context.close();
  });
}

test("within another page no link is packed until somebody turns to it", async () => {
  const fields = { policy: policy("no"), resource: pod("web") };
  const { page, finish } = await open(browser, `${link(fields)}&embed=1`);
  const whole = page.locator("a.whole");
  assert.doesNotMatch(await whole.getAttribute("href"), /content=/);
  await whole.focus();
  await eventually(async () => assert.match(await whole.getAttribute("href"), /#\/\?content=.{100,}/));
  await page.locator("h1").click();
  const other = page.waitForEvent("popup");
  await whole.click();
  await verdictIs(await other, "1 fail");
  await finish();
});

test("no script runs on the page but by its policy, and the licences of what it carries lie beside it", async () => {
  const { page, context } = await open(browser);
  const tried = await page.evaluate(() => {
    const attempts = [
      () => (document.createElement("div").innerHTML = "<b>a</b>"),
      () => new Worker("data:text/javascript,1"),
      () => trustedTypes.createPolicy("mine", { createHTML: (text) => text }),
      () => (document.createElement("script").src = "./x.js"),
    ];
    return attempts.map((attempt) => {
      try {
        attempt();
        return "done";
      } catch (error) {
        return error.name;
      }
    });
  });
  assert.deepEqual(tried, ["TypeError", "TypeError", "TypeError", "TypeError"]);
  await page.click("#open-about");
  const address = await page.getByRole("link", { name: "their own licences" }).evaluate((element) => element.href);
  const text = await page.evaluate((from) => fetch(from).then((found) => found.text()), address);
  for (const work of ["@codemirror/view", "@lezer/yaml", "style-mod", "client-zip", "yew 0", "wasm-bindgen 0", "serde_json 1", "k8s-openapi", "Marijn Haverbeke"]) assert.ok(text.includes(work), work);
  // What was refused above stands in the console, so nothing is said of that here.
  await context.close();
});

test("what is sent with each file keeps others from framing the page and from guessing types", async () => {
  const [page, part] = await Promise.all(["/", "/sw.js"].map((path) => fetch(process.env.PODSIEVE_URL + path)));
  for (const { headers } of [page, part]) {
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("content-security-policy"), "frame-ancestors 'self'");
    assert.equal(headers.get("cache-control"), "no-cache");
  }
  const [, asset] = /href="\.\/(assets-[^"]+\.css)"/.exec(await page.text());
  assert.match((await fetch(`${process.env.PODSIEVE_URL}/${asset}`)).headers.get("cache-control"), /immutable/);
});
