// The page as a stranger uses it: the first screen, typing, samples, sharing, reloading, keyboard, phone, limits.
// In: the built www/dist, served. Each test also holds that nothing was asked of another host, that the page's
// Content-Security-Policy was not violated and that the console stayed silent (see `open` in browser.mjs).
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { address, axe, counts, launch, open, openSample, phone, retype, says, verdict, verdictIs, story } from "./browser.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test("the first screen says what this is and shows both texts from their first line, the failing lines marked", async () => {
  const { page, finish } = await open(browser, "/");
  await verdictIs(page, "1 fail, 1 pass");
  await says(page.locator(".notice"), /This page evaluates Kyverno policies.*Try it/);
  await says(page.locator(".rule.chosen .word"), "fail");
  await page.locator(".resources .cm-marked-fail").first().waitFor();
  await page.locator(".policies .cm-marked-fail").first().waitFor();
  for (const side of ["policies", "resources"]) {
    await page.locator(`.${side} .cm-line`, { hasText: "apiVersion" }).first().waitFor();
    const { top, inside } = await page.locator(`.${side} .cm-scroller`).evaluate((view) => ({ top: view.scrollTop, inside: view.scrollHeight <= view.clientHeight }));
    assert.ok(top === 0 && inside, `${side}: scrolled by ${top}, ${inside ? "" : "not "}whole`);
  }
  // Failures come before passes.
  const groups = (await page.locator(".group h3").allInnerTexts()).map((name) => name.replace(/\s+/g, " "));
  assert.deepEqual(groups, ["fail: Pod search", "pass: Pod billing"]);
  await finish();
});

test("what is said of a sample goes once its text was replaced, and takes little of a phone", async () => {
  const { page, finish } = await open(browser, "/");
  await page.locator(".notice").waitFor();
  await page.getByRole("textbox", { name: "Resources", exact: true }).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("apiVersion: v1\nkind: Pod\nmetadata:\n  name: mine\n");
  await counts(page.locator(".notice"), 0);
  await finish();
  const small = await open(browser, "/", phone);
  for (const title of [null, "Istio's CNI agent on every node"]) {
    if (title) await openSample(small.page, title);
    const { height } = await small.page.locator(".notice").boundingBox();
    assert.ok(height < 844 / 6, `${title}: ${height}`);
  }
  const before = (await small.page.locator(".notice").boundingBox()).height;
  await small.page.getByRole("button", { name: "More", exact: true }).tap();
  assert.ok((await small.page.locator(".notice").boundingBox()).height > before);
  assert.deepEqual(await axe(small.page), []);
  await small.finish();
});

test("New gives an empty workspace, which a reload keeps, and the way back", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Resources", "SYS_ADMIN", "NET_RAW");
  await verdictIs(page, "3 pass");
  await page.getByRole("button", { name: "New", exact: true }).click();
  await verdictIs(page, "no policy");
  await page.waitForFunction(() => document.activeElement.ariaLabel === "Policies");
  assert.deepEqual(await axe(page), []);
  await page.reload();
  await verdictIs(page, "no policy");
  await page.getByRole("button", { name: "Back to your work" }).click();
  await verdictIs(page, "3 pass");
  await finish();
});

test("a List is split, and a resource among the policies moved, each by a button and undone in its editor", async () => {
  const { page, finish } = await open(browser, "/");
  const write = async (label, text) => {
    await page.getByRole("textbox", { name: label, exact: true }).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(text);
  };
  const pod = (name) => `  - apiVersion: v1\n    kind: Pod\n    metadata:\n      name: ${name}\n`;
  await write("Resources", `apiVersion: v1\nkind: List\nitems:\n${pod("a")}${pod("b")}`);
  await page.getByRole("button", { name: "Split this List" }).click();
  await verdictIs(page, "2 fail");
  await page.getByRole("textbox", { name: "Resources", exact: true }).focus();
  await page.keyboard.press("Control+z");
  await page.getByRole("button", { name: "Split this List" }).click();
  await verdictIs(page, "2 fail");
  await page.getByRole("textbox", { name: "Policies", exact: true }).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: c\n");
  await page.getByRole("button", { name: "Move it to Resources" }).click();
  await verdictIs(page, "3 fail");
  await says(page.locator(".problems"), /Problems: none/);
  await finish();
});

test("what is not evaluated here is counted, and opens in the Kyverno Playground", async () => {
  const { page, finish } = await open(browser, "/");
  await page.getByRole("textbox", { name: "Policies", exact: true }).focus();
  await page.keyboard.press("Control+End");
  // A version to come.
  await page.keyboard.insertText("---\napiVersion: policies.kyverno.io/v2\nkind: GeneratingPolicy\nmetadata:\n  name: later\nspec: {}\n");
  await verdictIs(page, "1 fail, 1 pass, 1 not evaluated");
  const link = page.locator(".results").getByRole("link", { name: "Open in the Kyverno Playground" });
  assert.match(await link.getAttribute("href"), /^https:\/\/playground\.kyverno\.io\/#\/\?content=/);
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("a policy in CEL is evaluated, beside classic ones and alone, and its text may become classic again", async () => {
  const { page, finish } = await open(browser, "/");
  const policies = page.getByRole("textbox", { name: "Policies", exact: true });
  await policies.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(
    "---\napiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata:\n  name: owned\nspec:\n  matchConstraints:\n    resourceRules:\n" +
      "    - {apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}\n  validations:\n" +
      "  - expression: \"'owner' in object.metadata.?labels.orValue({})\"\n    message: somebody must own it\n",
  );
  await verdictIs(page, "3 fail, 1 pass");
  await page.locator(".results").getByText("somebody must own it").first().waitFor();
  await page.keyboard.press("Control+z");
  await verdictIs(page, "1 fail, 1 pass");
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("the verdict turns while one types, both ways", async () => {
  const { page, finish } = await open(browser);
  await verdictIs(page, "1 fail, 2 pass");
  await retype(page, "Resources", "SYS_ADMIN", "NET_RAW");
  await verdictIs(page, "3 pass");
  await retype(page, "Resources", "NET_ADMIN", "SYS_TIME");
  await verdictIs(page, "1 fail, 2 pass");
  await finish();
});

test("samples stand with a sentence each, general ones first, and are searched", async () => {
  const { page, finish } = await open(browser, "/");
  await page.click("#open-samples");
  assert.equal((await page.locator(".menu .entry").allInnerTexts())[0], "Require labels");
  const headings = await page.locator(".panel h3").allInnerTexts();
  const meshes = headings.flatMap((heading, at) => (/mesh/i.test(heading) ? [at] : []));
  assert.deepEqual(meshes, meshes.map((_, at) => meshes[0] + at), headings.join());
  const sentences = await page.locator(".menu .about").allInnerTexts();
  assert.ok(sentences.length > 40 && sentences.every((line) => line.length > 10 && !line.includes("`")), sentences.join("\n"));
  await page.getByRole("searchbox", { name: "Search the samples" }).fill("latest tag");
  await counts(page.locator(".menu .entry"), 1);
  await page.getByRole("searchbox", { name: "Search the samples" }).fill("no such thing");
  await says(page.locator(".panel"), /No sample matches/);
  await page.getByRole("searchbox", { name: "Search the samples" }).fill("first refusal");
  await page.getByRole("searchbox", { name: "Search the samples" }).fill("its Pod does not");
  assert.deepEqual(await axe(page), []);
  await page.locator(".menu .entry").first().click();
  await page.locator(".notice em", { hasText: "Why" }).waitFor();
  assert.doesNotMatch(await page.locator(".notice").innerText(), /\*/);
  await finish();
});

test("every sample opens without a problem, but for exclusions that are wide", async () => {
  const { page, finish } = await open(browser);
  await page.click("#open-samples");
  const titles = await page.locator(".menu .entry").allInnerTexts();
  for (const wanted of ["Istio init container", "Linkerd init container"]) assert.ok(titles.includes(wanted), titles.join());
  await page.keyboard.press("Escape");
  for (const title of titles) {
    await page.click("#open-samples");
    await page.getByRole("button", { name: title, exact: true }).click();
    await page.locator(".notice", { hasText: title }).waitFor();
    await page.waitForFunction(() => !document.querySelector(".results.stale"));
    assert.match(await verdict(page), /fail|pass/, title);
    // Some samples show how wide an exclusion is, one a field that may be missing; nothing else may be remarked.
    const remarks = await page.locator(".problems li").allInnerTexts();
    for (const remark of remarks) assert.match(remark, /takes any|without restrictedField|object\.metadata\.labels may be absent/, title);
    if (remarks.length === 0) assert.equal(await page.locator(".problems").innerText(), "Problems: none", title);
  }
  await finish();
});

test("a shared link opens with the same text, here and in the form of the original", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Resources", "shop-with-istio", "umlaut-ü-😀");
  await page.waitForFunction(() => document.querySelector(".results")?.textContent.includes("umlaut"));
  await page.click("#open-share");
  const own = await page.inputValue("#share-own");
  const original = await page.inputValue("#share-original");
  assert.equal(own.slice(own.indexOf("#")), original.slice(original.indexOf("#")));
  assert.match(original, /^https:\/\/playground\.kyverno\.io\/#\/\?content=N4IgDg9gNglgxgTxALhA[A-Za-z0-9%/=]+$/);
  const again = await open(browser, own.slice(own.indexOf("/#")));
  await verdictIs(again.page, "1 fail, 2 pass");
  await again.page.locator(".results", { hasText: "Pod umlaut-ü-😀" }).waitFor();
  await again.finish();
  await finish();
});

/** Works on what is there, then opens a link to what it was: `paste` makes of the link what is put into the field. */
async function openOverWork(page, paste) {
  await page.click("#open-share");
  const link = await page.inputValue("#share-original");
  await page.keyboard.press("Escape");
  await retype(page, "Resources", "SYS_ADMIN", "NET_RAW");
  await verdictIs(page, "3 pass");
  await page.click("#open-open");
  await page.fill("#pasted", paste(link));
  await page.click(".panel button[type=submit]");
  await verdictIs(page, "1 fail, 2 pass");
}

test("a link takes the place of own work, and the way back restores it", async () => {
  const { page, finish } = await open(browser);
  await openOverWork(page, (link) => `  <${link}>).`);
  await page.getByRole("button", { name: "Back to your work" }).click();
  await verdictIs(page, "3 pass");
  await finish();
});

test("after a link, an edit and a reload own work is still within reach, also where its line was hidden", async () => {
  const { page, finish } = await open(browser);
  await openOverWork(page, (link) => link);
  await retype(page, "Resources", "shop-with-istio", "shop-with-edit");
  await page.locator(".group h3", { hasText: "shop-with-edit" }).waitFor();
  await page.reload();
  await page.locator(".group h3", { hasText: "shop-with-edit" }).waitFor();
  const back = page.locator(".notice").getByRole("button", { name: "Back to your work" });
  await back.waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "Hide" }).click();
  await counts(page.locator(".notice"), 0);
  await page.click("#open-spaces");
  await page.locator(".panel").getByRole("button", { name: "Back to your work" }).click();
  await verdictIs(page, "3 pass");
  // What was changed of the link is own work as well.
  await back.click();
  await page.locator(".group h3", { hasText: "shop-with-edit" }).waitFor();
  await finish();
});

test("a policy that cannot be used is not a missing policy: results and top line say so, with the way to the place", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Policies", "kind: ClusterPolicy", "kind: [ClusterPolicy");
  const empty = page.locator(".results .empty", { hasText: "The policy cannot be used" });
  await empty.waitFor();
  await says(page.locator(".verdict"), /no usable policy/);
  await empty.getByRole("button", { name: /policies line \d+/ }).click();
  await page.waitForFunction(() => document.activeElement.ariaLabel === "Policies");
  await finish();
});

test("a policy that Kyverno would not load is told of in results and top line", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Policies", "validate:", "validatte:");
  await page.locator(".results .empty", { hasText: "The policy cannot be used: unknown field validatte" }).waitFor();
  await says(page.locator(".verdict"), /no usable policy/);
  await finish();
});

test("a cut link is opened as far as it goes, and the page says so; nonsense is refused with words", async () => {
  const { page, finish } = await open(browser);
  await page.click("#open-share");
  const link = await page.inputValue("#share-original");
  await page.click("#open-open");
  await page.fill("#pasted", "nothing of the kind");
  await page.click(".panel button[type=submit]");
  await page.locator(".panel .wrong").waitFor();
  await page.fill("#pasted", link.slice(0, link.length * 0.8));
  await page.press("#pasted", "Enter");
  await says(page.locator(".notice .note").first(), /cut/);
  await says(page.locator(".policies .badge"), "1");
  await finish();
});

test("typed text survives a reload, and starting over is one click", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Resources", "SYS_ADMIN", "NET_RAW");
  await verdictIs(page, "3 pass");
  await page.reload();
  await verdictIs(page, "3 pass");
  await page.locator(".problems").getByRole("button", { name: "Start over" }).click();
  await verdictIs(page, "1 fail, 1 pass");
  await finish();
});

test("a click on a verdict marks its lines, a line number goes there", async () => {
  const { page, finish } = await open(browser);
  await page.locator(".rule.is-pass .choose").first().click();
  await counts(page.locator(".cm-marked-fail"), 0);
  await page.locator(".policies .cm-marked-pass").first().waitFor();
  await page.locator(".rule.is-fail").getByRole("button", { name: /resources line/ }).click();
  await page.locator(".resources .cm-focused").waitFor();
  await finish();
});

test("broken YAML is squiggled and listed with its line, and the rest is still evaluated", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Resources", "kind: Pod", "kind: [Pod");
  await page.locator(".problems li").first().waitFor();
  await says(page.locator(".problems li .place").first(), /resources line \d+/);
  await page.locator(".resources .cm-lintRange, .resources .cm-lintPoint").first().waitFor();
  await finish();
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe finds nothing, ${colorScheme}`, async () => {
    const { page, finish } = await open(browser, story, { colorScheme });
    assert.deepEqual(await axe(page), []);
    for (const panel of ["samples", "open", "share", "about"]) {
      await page.click(`#open-${panel}`);
      assert.deepEqual(await axe(page), [], panel);
    }
    await finish();
  });
}

test("everything is reached with the keyboard", async () => {
  const { page, finish } = await open(browser);
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.activeElement.textContent === "New");
  await page.keyboard.press("Tab");
  await page.waitForFunction(() => document.activeElement.id === "open-samples");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.id === "panel");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement.id === "open-samples");
  const seen = new Set();
  for (let press = 0; press < 60; press++) {
    const where = await page.evaluate(() => {
      const { id, className, ariaLabel, role } = document.activeElement;
      return id || ariaLabel || role || className;
    });
    seen.add(where);
    // Out of an editor, where Tab alone would indent.
    if (["Policies", "Resources"].includes(where)) await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
  }
  const wanted = ["open-samples", "open-open", "open-share", "open-about", "tab-policy", "tab-resource", "Policies", "Resources", "choose"];
  for (const place of [...wanted, "Width of the policies", "Width of the results"]) {
    assert.ok(seen.has(place), `${place} is not among ${[...seen].join(", ")}`);
  }
  await finish();
});

test("a phone shows one column without sideways scrolling, the verdict always in view", async () => {
  const { page, finish } = await open(browser, story, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await verdictIs(page, "1 fail, 2 pass");
  for (const view of ["Policies", "Resources", "Results"]) {
    await page.locator(".views").getByRole("button", { name: view }).tap();
    const { wide, seen } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      seen: document.querySelector(".verdict").getBoundingClientRect().bottom,
    }));
    assert.ok(wide <= 390, `${view} is ${wide} px wide`);
    assert.ok(seen > 0 && seen < 200, `${view}: the verdict is at ${seen}`);
    assert.deepEqual(await axe(page), [], view);
  }
  await page.locator(".rule.is-fail").getByRole("button", { name: /policies line/ }).tap();
  await page.locator(".policies .cm-marked-fail").first().waitFor();
  await finish();
});

test("the theme is chosen and kept", async () => {
  const { page, finish } = await open(browser, story, { colorScheme: "dark" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await background();
  await page.getByRole("button", { name: /^Theme/ }).click();
  const light = await background();
  assert.notEqual(light, dark);
  await page.reload();
  await page.locator(".rule").first().waitFor();
  assert.equal(await background(), light);
  await finish();
});

for (const width of [320, 360, 375, 390]) {
  test(`at ${width} pixels the menus stand in one line, and the theme is chosen in the last of them`, async () => {
    const { page, finish } = await open(browser, story, { viewport: { width, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "light" });
    const middle = (id) => page.locator(id).evaluate((button) => button.getBoundingClientRect().top);
    assert.equal(await middle("#open-about"), await middle("#open-samples"));
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    await page.locator("#open-about").tap();
    const theme = page.locator(".panel").getByRole("button", { name: /^Theme/ });
    await theme.tap();
    await theme.tap();
    await page.locator('html[data-theme="dark"]').waitFor();
    assert.deepEqual(await axe(page), []);
    await finish();
  });
}

test("a run that does not end is ended after five seconds, and the page says so", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  // An engine that never answers, in the place of ours.
  const stuck = `self.onmessage = ({ data }) => {
    if (data.start) return;
    self.postMessage({ kind: "begun", serial: data.serial, text: "", millis: 0 });
    for (;;);
  };`;
  await page.route("**/worker.js", (route) => route.fulfill({ contentType: "text/javascript", body: stuck }));
  await page.goto(address);
  const start = Date.now();
  await page.locator(".verdict .failure").waitFor();
  assert.ok(Date.now() - start > 4_000);
  await says(page.locator(".verdict"), /ended after 5 seconds/);
  // The page lives on: a working engine takes the next question.
  await page.unroute("**/worker.js");
  await retype(page, "Resources", "app: search", "team: shop");
  await verdictIs(page, "2 pass");
  await context.close();
});
