// What makes the page comfortable: commands by name, named workspaces, a choice of what a link takes along, links to
// samples. In: the built www/dist, served. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { address, axe, counts, launch, open, phone, retype, says, verdictIs, story } from "./browser.mjs";
import { listed } from "./typing.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const field = (page) => page.getByRole("combobox", { name: "Commands" });
const chosen = (page) => page.locator('.palette [aria-selected="true"]');

/** Opens the palette and types. */
async function command(page, words) {
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  await page.keyboard.type(words);
}

test("a command is found by typing and done by Enter, without a pointer", async () => {
  const { page, finish } = await open(browser);
  await command(page, "theme dark");
  await says(chosen(page).locator("span").first(), "Theme: dark");
  assert.equal(await field(page).getAttribute("aria-activedescendant"), await chosen(page).getAttribute("id"));
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Enter");
  await page.locator('html[data-theme="dark"]').waitFor();
  await counts(page.getByRole("button", { name: "Theme: dark" }), 1);
  await command(page, "pod sec");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.id === "tab-pod-security");
  await command(page, "image data");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.getAttribute("aria-label") === "Image data");
  await command(page, "istio init");
  await page.keyboard.press("Enter");
  await page.locator(".notice", { hasText: "Istio init container" }).waitFor();
  await finish();
});

test("the arrow keys go through the commands, Escape gives the keyboard back, nonsense is told", async () => {
  const { page, finish } = await open(browser);
  await page.locator("#open-share").focus();
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  const first = await chosen(page).innerText();
  await page.keyboard.press("ArrowUp");
  const last = await chosen(page).innerText();
  assert.notEqual(last, first);
  assert.ok(await chosen(page).evaluate((row) => {
    const [inner, outer] = [row.getBoundingClientRect(), row.parentElement.getBoundingClientRect()];
    return inner.bottom <= outer.bottom + 1 && inner.top >= outer.top - 1;
  }));
  await page.keyboard.press("ArrowDown");
  assert.equal(await chosen(page).innerText(), first);
  await page.keyboard.type("qqqq");
  await page.getByText("No command matches.").waitFor();
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  await counts(page.locator(".palette"), 0);
  await page.waitForFunction(() => document.activeElement.id === "open-share");
  // From an editor and back into it, at the same place.
  await page.getByRole("textbox", { name: "Resources", exact: true }).focus();
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  await page.keyboard.press("Control+k");
  await counts(page.locator(".palette"), 0);
  await finish();
});

test("the sheet of keys leads to the commands, also on a phone", async () => {
  const { page, finish } = await open(browser, story, phone);
  await page.locator("#open-about").tap();
  await page.getByRole("button", { name: "commands" }).tap();
  await field(page).waitFor();
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  assert.deepEqual(await axe(page), []);
  await page.getByRole("option", { name: /^Exceptions/ }).tap();
  await page.getByRole("textbox", { name: "Exceptions" }).waitFor();
  await finish();
});

test("a workspace is saved, kept over a reload, opened, renamed and deleted, each with a way back", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Resources", "SYS_ADMIN", "NET_RAW");
  await verdictIs(page, "3 pass");
  await page.click("#open-spaces");
  await page.fill("#space-name", "allowed");
  await page.keyboard.press("Enter");
  await page.getByText("saved as “allowed”").waitFor();
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  await retype(page, "Resources", "NET_RAW", "SYS_TIME");
  await verdictIs(page, "1 fail, 2 pass");
  await page.reload();
  await verdictIs(page, "1 fail, 2 pass");
  await page.click("#open-spaces");
  await page.getByRole("button", { name: "allowed", exact: true }).click();
  await verdictIs(page, "3 pass");
  // What was typed was put aside.
  await page.getByRole("button", { name: "Back to your work" }).click();
  await verdictIs(page, "1 fail, 2 pass");
  await page.click("#open-spaces");
  await page.getByRole("button", { name: "Rename allowed" }).click();
  await page.waitForFunction(() => document.activeElement.id === "space-renamed");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("fine");
  await page.keyboard.press("Enter");
  await page.getByText("“allowed” is now “fine”").waitFor();
  await page.getByRole("button", { name: "Delete fine" }).click();
  await counts(page.getByRole("button", { name: "fine", exact: true }), 0);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "fine", exact: true }).click();
  await verdictIs(page, "3 pass");
  await finish();
});

test("bounds of workspaces are told, and another tab of the browser sees what is saved", async () => {
  const { page, context, finish } = await open(browser);
  const other = await context.newPage();
  await other.goto(address);
  await other.locator(".verdict .count").first().waitFor();
  await page.click("#open-spaces");
  await page.fill("#space-name", "   ");
  await page.keyboard.press("Enter");
  await page.getByText("a workspace needs a name").waitFor();
  await page.fill("#space-name", "<img src=x onerror=alert(1)>");
  await page.keyboard.press("Enter");
  await page.locator(".spaces li").waitFor();
  await other.click("#open-spaces");
  await other.getByRole("button", { name: "<img src=x onerror=alert(1)>", exact: true }).waitFor();
  // Where the browser keeps no more, nothing is claimed.
  await page.evaluate(() => (Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }));
  await page.fill("#space-name", "second");
  await page.keyboard.press("Enter");
  await page.getByText("this browser keeps no more").waitFor();
  await counts(page.locator(".spaces li"), 1);
  await finish();
});

test("a link takes along what is ticked, and tells its length", async () => {
  const { page, finish } = await open(browser);
  await page.click("#open-share");
  const length = () => page.locator(".panel .length").innerText();
  const [whole, before] = [await page.inputValue("#share-original"), await length()];
  assert.equal(before, `The link has ${whole.length} characters${whole.length > 2000 ? "; some chats and trackers cut links of this length" : ""}`);
  await page.getByRole("checkbox", { name: /^Resources/ }).uncheck();
  const part = await page.inputValue("#share-original");
  assert.ok(part.length < whole.length && (await length()).startsWith(`The link has ${part.length} characters`));
  assert.deepEqual(await axe(page), []);
  const again = await open(browser, part.slice(part.indexOf("/#")));
  await says(again.page.locator(".notice"), /carries no resource/);
  await again.finish();
  await page.getByRole("checkbox", { name: /^Resources/ }).check();
  assert.equal(await page.inputValue("#share-original"), whole);
  await finish();
});

test("a Secret is warned of only where it goes along, also one that has no editor", async () => {
  const { page, finish } = await open(browser);
  await page.locator("#add-resources").click();
  await page.locator(".further").getByRole("button", { name: /^Cluster/ }).click();
  await page.getByRole("textbox", { name: "Cluster" }).focus();
  await page.keyboard.insertText("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  key: dmFsdWU=\n");
  await page.click("#open-share");
  await says(page.locator(".panel [role=alert]"), /Secret with data is in Cluster/);
  await page.getByRole("checkbox", { name: /^Cluster/ }).uncheck();
  await counts(page.locator(".panel [role=alert]"), 0);
  await finish();
  // What this page has no editor for comes with a file of the original.
  const hidden = await open(browser);
  await hidden.page.click("#open-open");
  const chooser = hidden.page.waitForEvent("filechooser");
  await hidden.page.getByRole("button", { name: "Choose files…" }).click();
  const text = 'profiles:\n- name: current-state\n  resources: "kind: Pod"\n  vapBindings: |\n    kind: Secret\n    stringData: {a: b}\n';
  await (await chooser).setFiles([{ name: "playground.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) }]);
  await hidden.page.locator(".notice", { hasText: "current-state" }).waitFor();
  await hidden.page.click("#open-share");
  await says(hidden.page.locator(".panel [role=alert]"), /Secret with data is in vapBindings/);
  await hidden.page.getByRole("checkbox", { name: /vapBindings/ }).uncheck();
  await counts(hidden.page.locator(".panel [role=alert]"), 0);
  await hidden.finish();
});

test("a link that names a policy of the library opens the sample of that name, or says where the text is", async () => {
  const { page, finish } = await open(browser, "/#/?policy=best-practices/disallow-latest-tag/");
  await page.locator(".notice .note", { hasText: "best-practices/disallow-latest-tag" }).waitFor();
  await page.locator(".policies .cm-content", { hasText: "latest" }).waitFor();
  assert.equal(new URL(page.url()).hash, "#/?policy=best-practices/disallow-latest-tag");
  await retype(page, "Resources", "Pod", "Pot");
  await page.evaluate(() => (location.hash = "#/?policy=other/no-such-policy"));
  await page.locator(".notice .note", { hasText: "kyverno/policies/main/other/no-such-policy/no-such-policy.yaml" }).waitFor();
  await page.click("#open-open");
  await page.fill("#pasted", "https://playground.kyverno.io/#/?policy=best-practices%2Frequire-labels");
  await page.click(".panel button[type=submit]");
  await page.locator(".notice .note", { hasText: "best-practices/require-labels" }).waitFor();
  await page.getByRole("button", { name: "Back to your work" }).click();
  await page.locator(".resources .cm-content", { hasText: "Pot" }).waitFor();
  await finish();
});

test("a link that names a policy opens over kept work too, with the way back to it", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Resources", "SYS_ADMIN", "NET_RAW");
  await verdictIs(page, "3 pass");
  await page.waitForFunction(() => localStorage.getItem("podsieve:work")?.includes("NET_RAW"));
  const visit = async (policy) => {
    await page.goto("about:blank");
    await page.goto(`${address}/#/?policy=${policy}`);
  };
  await visit("nope");
  await page.locator(".notice .note", { hasText: "kyverno/policies/main/nope/nope.yaml" }).waitFor();
  await verdictIs(page, "3 pass");
  await visit("best-practices/disallow-latest-tag");
  await page.locator(".notice .note", { hasText: "best-practices/disallow-latest-tag" }).waitFor();
  await page.locator(".policies .cm-content", { hasText: "latest" }).waitFor();
  await page.getByRole("button", { name: "Back to your work" }).click();
  await verdictIs(page, "3 pass");
  await finish();
});

test("a link that is too long for most places says so, and shows the files in its place", async () => {
  const { page, finish } = await open(browser);
  await page.getByRole("textbox", { name: "Resources", exact: true }).focus();
  await page.keyboard.press("Control+End");
  // Text that cannot be made smaller.
  await page.keyboard.insertText(`\n# ${Array.from({ length: 40_000 }, (_, at) => ((at * 2654435761) % 4294967296).toString(36)).join("")}\n`);
  await page.waitForFunction(() => !document.querySelector(".results.stale"));
  await page.click("#open-share");
  assert.ok((await page.inputValue("#share-original")).length > 200_000);
  await says(page.locator(".panel .length"), /most chats, mails and trackers will cut it[^]*Send a file/);
  await page.getByRole("button", { name: "Save as playground.yaml" }).waitFor();
  await page.getByRole("button", { name: "Save as a test folder" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("the first list comes without another key, though help loads while one types", async () => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
  const page = await context.newPage();
  await page.route("**/late/assist.js", async (route) => {
    await new Promise((done) => setTimeout(done, 800));
    await route.continue();
  });
  await page.goto(address + story);
  await verdictIs(page, "1 fail, 2 pass");
  await page.getByRole("textbox", { name: "Policies" }).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("ki");
  await listed(page);
  await context.close();
});

for (const options of [{ colorScheme: "dark" }, { contrast: "more" }, { forcedColors: "active" }]) {
  test(`axe finds nothing in commands, workspaces and share: ${JSON.stringify(options)}`, async () => {
    const { page, finish } = await open(browser, story, options);
    await page.click("#open-spaces");
    await page.fill("#space-name", "one");
    await page.keyboard.press("Enter");
    await page.locator(".spaces li").waitFor();
    assert.deepEqual(await axe(page), []);
    await page.click("#open-share");
    assert.deepEqual(await axe(page), []);
    await command(page, "s");
    assert.deepEqual(await axe(page), []);
    await finish();
  });
}
