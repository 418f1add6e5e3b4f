// What stands beside the results: why, what was changed, the rules that autogen makes, pod security; further inputs.
// In: the built www/dist, served. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, counts, eventually, launch, open, openSample, phone, retype, says, verdictIs, story } from "./browser.mjs";
import { give, pods, rules } from "./many.mjs";
import { write } from "./typing.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test("why names the conditions that decided, and a click on a step marks its lines", async () => {
  const { page, finish } = await open(browser);
  await page.locator(".rule.is-fail").getByRole("button", { name: "why?" }).click();
  await page.getByRole("tab", { name: "Why", selected: true }).waitFor();
  // The value that offends, not the lists that were compared; Kyverno's own words below.
  await says(page.locator(".because h3"), /^Fails because spec\.initContainers\[0\]\.securityContext\.capabilities\.add\[1\] is SYS_ADMIN: this makes/);
  await counts(page.locator(".because .step"), 2);
  await says(page.locator(".because .message"), /istio-init adds a capability beyond/);
  // Many steps stay closed until somebody wants them.
  await page.locator(".trace summary").waitFor();
  await page.locator(".trace summary").click();
  await page.locator(".trace .step .content", { hasText: "precondition" }).first().click();
  await page.locator(".policies .cm-marked", { hasText: "operator: AnyIn" }).first().waitFor();
  await page.locator(".why .chooser").selectOption({ index: 0 });
  await says(page.locator(".because h3"), /^Passes/);
  await finish();
});

test("a policy that says nothing tells why, and where", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Resources", "kind: Pod", "kind: Service");
  const silent = page.locator(".rule.unmatched").first();
  await silent.waitFor();
  await says(silent, /kind is Service/);
  await silent.getByRole("button", { name: "why?" }).click();
  await says(page.locator(".because h3"), /^No rule of this policy applies, because$/);
  await finish();
});

test("a mutation is shown as a comparison, side by side where there is room", async () => {
  const { page, finish } = await open(browser);
  await counts(page.getByRole("tab", { name: "Mutated" }), 0);
  await openSample(page, "A level for each Namespace");
  await page.getByRole("tab", { name: "Mutated", selected: true }).waitFor();
  const added = () => page.locator(".diff .added code").allInnerTexts();
  await eventually(async () => assert.deepEqual((await added()).map((line) => line.trim()), [
    "labels:", "pod-security.kubernetes.io/enforce: baseline",
    "labels:", "pod-security.kubernetes.io/enforce: restricted",
    "pod-security.kubernetes.io/enforce: restricted",
  ]));
  await page.locator(".diff .before").first().waitFor({ state: "hidden" });
  await page.setViewportSize({ width: 2200, height: 900 });
  await page.locator(".diff .before").first().waitFor();
  await retype(page, "Resources", "name: shop", "name: pci-shop");
  await page.waitForFunction(() => [...document.querySelectorAll(".diff .added")].every((line) => !line.textContent.includes("baseline")));
  // Nothing is waited for, and nothing says so.
  const waiting = () => page.evaluate(() => getComputedStyle(document.querySelector(".pane.results"), "::after").content);
  await eventually(async () => assert.equal(await waiting(), "none"));
  await finish();
});

test("autogen shows the rules that are made, and marks what they are made of", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, "An exemption for cAdvisor by image");
  await page.getByRole("tab", { name: "Autogen" }).click();
  await page.locator(".made .sub", { hasText: /made of restricted for DaemonSet/ }).first().waitFor();
  await page.locator(".made h4 button").first().click();
  await page.locator(".policies .cm-marked").first().waitFor();
  await finish();
});

test("many resources are a table with search and filter; a cell opens its rule, and only what is seen is drawn", async () => {
  const { page, finish } = await open(browser);
  await give(page, rules(20), pods(400));
  await page.locator(".matrix").waitFor();
  await page.waitForFunction(() => !document.querySelector(".results.stale"));
  const rows = () => page.locator(".matrix tbody tr:not([aria-hidden])").count();
  assert.ok((await rows()) < 120, String(await rows()));
  assert.equal(await page.locator(".matrix table").getAttribute("aria-rowcount"), "401");
  await page.locator(".matrix").evaluate((view) => (view.scrollTop = view.scrollHeight));
  await page.locator(".matrix th", { hasText: "Pod team-0/pod-399" }).waitFor();
  await page.locator(".matrix").evaluate((view) => (view.scrollTop = 0));
  const cell = (row, column) => page.locator(`.matrix tr[aria-rowindex="${row + 2}"] td`).nth(column);
  await cell(0, 1).click();
  await page.locator(".detail", { hasText: "rule 1 wants a label" }).waitFor();
  await page.locator(".resources .cm-marked-fail").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.activeElement.matches('tr[aria-rowindex="3"] td:nth-of-type(2)'));
  // `/` leads to the search, wherever the keyboard is but in a text.
  await page.keyboard.press("/");
  await page.keyboard.type("team-3/pod-3 rule-7");
  await page.waitForFunction(() => document.querySelectorAll(".matrix thead th").length === 2);
  await page.locator(".find select").selectOption("pass");
  await page.locator(".matrix td.is-pass").first().waitFor();
  assert.deepEqual([...new Set(await page.locator(".matrix td[class]:not(.spacer)").allTextContents())], ["pass"]);
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "As a list" }).click();
  await page.locator(".group .rule.is-pass").first().waitFor();
  await finish();
});

test("resources that no rule matched are counted beside a table of passes, and names take the room there is", async () => {
  const { page, finish } = await open(browser);
  const services = Array.from({ length: 150 }, (_, n) => `apiVersion: v1\nkind: Service\nmetadata:\n  name: a-service-with-a-rather-long-name-${n}\n`);
  await give(page, rules(2), `${pods(150)}---\n${services.join("---\n")}`);
  await page.locator(".matrix").waitFor();
  await says(page.locator(".results .silent"), /No rule matched 150 of 300 resources: that is not a pass/);
  const name = page.locator('.matrix th[scope="row"]').first();
  assert.ok((await name.boundingBox()).width > 0.6 * (await page.locator(".matrix").boundingBox()).width);
  await page.getByRole("button", { name: "Show them" }).click();
  await page.locator(".group h3", { hasText: "a-service-with-a-rather-long-name-0" }).waitFor();
  await counts(page.locator(".group h3", { hasText: "Pod " }), 0);
  assert.deepEqual(await axe(page), []);
  await page.locator(".find select").selectOption("");
  await page.locator(".matrix").waitFor();
  await finish();
});

test("names stay in sight where the columns of a wide table move", async () => {
  const { page, finish } = await open(browser, "/", phone);
  await give(page, rules(40), pods(60));
  const [table, name] = [page.locator(".matrix"), page.locator('.matrix tbody th[scope="row"]').first()];
  await table.waitFor();
  const left = async () => (await name.boundingBox()).x - (await table.boundingBox()).x;
  assert.equal(await left(), 0);
  await table.evaluate((view) => (view.scrollLeft = 200));
  await page.waitForFunction(() => document.querySelector(".matrix.aside"));
  assert.equal(await left(), 0);
  await table.evaluate((view) => (view.scrollLeft = 0));
  await page.waitForFunction(() => !document.querySelector(".matrix.aside"));
  await finish();
});

test("failures stand before warnings and passes in the list", async () => {
  const { page, finish } = await open(browser, "/", phone);
  await give(page, rules(1), pods(9));
  await page.waitForFunction(() => document.querySelectorAll(".group").length === 9);
  const states = (await page.locator(".group h3 .sr").allInnerTexts()).map((word) => word.replace(/[^a-z]/g, ""));
  assert.deepEqual(states, [...states].sort());
  assert.equal(new Set(states).size, 2);
  await finish();
});

test("reports are written as a cluster holds them, or as the terminal prints them", async () => {
  const { page, finish } = await open(browser);
  await page.getByRole("tab", { name: "Report" }).click();
  const text = page.locator(".report pre");
  await text.filter({ hasText: "apiVersion: wgpolicyk8s.io/v1alpha2" }).waitFor();
  await says(text, /kind: (Cluster)?PolicyReport[^]*result: fail/);
  await page.locator(".report select").selectOption({ index: 1 });
  await text.filter({ hasText: "kind: ClusterReport" }).waitFor();
  // A change of the texts is a change of the report.
  await retype(page, "Resources", "SYS_ADMIN", "NET_RAW");
  await text.filter({ hasText: "  fail: 0" }).waitFor();
  await finish();
});

test("pod security is a table of checks with versions, and a finding marks its line", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, "Istio's CNI agent on every node");
  await page.locator(".object").nth(1).waitFor();
  await says(page.locator(".object").first().locator(".reaches"), "privileged");
  await page.locator(".object[open] .fails th", { hasText: /Host ?Path/i }).first().waitFor();
  await page.locator(".object[open] .reason .content", { hasText: "capabilities.add" }).first().click();
  await page.locator(".resources .cm-marked-fail", { hasText: "NET_ADMIN" }).first().waitFor();
  // Who runs it is looked at since v1.23.
  const user = page.locator(".object[open] tr", { hasText: "Running as Non-root user" });
  await counts(user.locator("td.is-fail"), 1);
  await page.locator(".controls select").selectOption("v1.22");
  await counts(user.locator("td.is-fail"), 0);
  await counts(user.locator("td.apart"), 2);
  await finish();
});

test("further inputs are added from a list, with an example in grey", async () => {
  const { page, finish } = await open(browser);
  await page.click("#add-policies");
  await page.locator(".further").getByRole("button", { name: /^Request/ }).click();
  await says(page.locator(".policies .field:visible .cm-placeholder"), /username: jane/);
  await page.getByRole("textbox", { name: "Request" }).focus();
  await page.keyboard.insertText("context: [");
  await page.locator("#tab-context .wrong-mark").waitFor();
  await page.click("#add-policies");
  await page.keyboard.press("Escape");
  await counts(page.locator(".further"), 0);
  await page.waitForFunction(() => document.activeElement.id === "add-policies");
  await finish();
});

test("policies in CEL that change, make and delete show what they do where classic ones do; a document of any form has its verdict", async () => {
  const { page, finish } = await open(browser);
  const results = page.locator(".results");
  await openSample(page, "In CEL: a label is added");
  await page.getByRole("tab", { name: "Mutated", selected: true }).waitFor();
  await results.getByText("team: shop").first().waitFor();
  await openSample(page, "In CEL: generate a NetworkPolicy");
  await page.getByRole("tab", { name: "Generated", selected: true }).waitFor();
  await results.getByText("kind: NetworkPolicy").waitFor();
  await openSample(page, "In CEL: what would be deleted");
  await verdictIs(page, "1 fail, 1 pass");
  await results.getByText("resource matched").waitFor();
  await results.getByText("Would be deleted: it matches, and the conditions hold").waitFor();
  await results.getByText("Would be kept: a condition does not hold").waitFor();
  await results.locator("h3", { hasText: "end-of-trials: cleans up at 0 3 * * *" }).waitFor();
  await openSample(page, "In CEL: any JSON");
  await results.getByText("JSON payload").first().waitFor();
  await results.getByText("open to everybody: pictures").waitFor();
  // Each element of a list in JSON is a payload of its own, named by its line.
  await write(page, '[{"buckets": []},\n  {"buckets": [{"name": "logs", "access": "public"}]}]‸', "Resources");
  await verdictIs(page, "1 fail, 1 pass");
  await says(results, /JSON payload, line 2/);
  await results.getByText("open to everybody: logs").waitFor();
  await openSample(page, "In CEL: parameters of an admission policy");
  await verdictIs(page, "1 fail, 1 pass");
  await finish();
});
