// The editors of exceptions and of new policies help with expressions of CEL as that of policies does: colours, problems at their
// character, hovers, completion, edits.
// In: the built www/dist, served. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, counts, eventually, launch, open, openSample, phone, says, verdictIs } from "./browser.mjs";
import { card, labels, line, listed, write } from "./typing.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const rewrite = "/#/?policy=stories/a-rewrite-that-admits-more";

const policy = (expression) => `apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata:
  name: own-registry
spec:
  matchConstraints:
    resourceRules:
      - apiGroups: [""]
        apiVersions: [v1]
        operations: [CREATE, UPDATE]
        resources: [pods]
  validations:
    - expression: ${expression}
`;

const exception = (expression) => `apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata:
  name: backup
  namespace: backup
spec:
  policyRefs:
    - name: no-host-path
      kind: ValidatingPolicy
  matchConditions:
    - name: the-backup
      expression: ${expression}
`;

/** What follows the first squiggle of the pane in its line, with the squiggle itself. */
const wrong = (pane) =>
  pane.locator(".field:visible .cm-lintRange-error").evaluateAll((all) => all.map((element) => {
    const line = element.closest(".cm-line");
    const range = document.createRange();
    range.setStart(line, 0);
    range.setEndBefore(element);
    return line.innerText.slice(range.toString().length);
  }));

/** Colours, a squiggle, a hover, a completion and an edit in the editor with this label. */
async function helps(page, pane, label, text) {
  await write(page, text("object.metadata.name.startsWith('b') && nope‸"), label);
  await pane.locator(".field:visible .cm-expression-function", { hasText: "startsWith" }).waitFor();
  await eventually(async () => assert.deepEqual(await wrong(pane), ["nope"]));
  await write(page, text("object.metadata.name.startWith‸('b')"), label);
  await eventually(async () => assert.match((await wrong(pane))[0] ?? "", /startWith|^\(/));
  await pane.locator(".field:visible .cm-lintRange-error").first().hover();
  const button = page.getByRole("button", { name: "Write startsWith" });
  await button.first().waitFor();
  assert.deepEqual(await axe(page), []);
  await button.first().click();
  await eventually(async () => assert.match(await line(page), /name\.startsWith\('b'\)$/));
  await eventually(async () => assert.deepEqual(await wrong(pane), []));
  await pane.locator(".field:visible .cm-expression-function", { hasText: "startsWith" }).hover();
  await says(card(page), /string\.startsWith\(string\) -> bool/);
  await page.mouse.move(700, 850);
  await counts(card(page), 0);
  await write(page, text("object.metadata.‸"), label);
  await page.keyboard.press("Control+Space");
  await listed(page);
  assert.ok((await labels(page)).includes("name"), (await labels(page)).join());
  await page.keyboard.press("Escape");
}

test("new policies have colours, squiggles, hovers, completion and edits, though they are not evaluated", async () => {
  const { page, finish } = await open(browser, rewrite);
  const pane = page.locator(".resources");
  await helps(page, pane, "New policies", policy);
  // What is wrong with the form of a policy as well; what is evaluated is not touched by it.
  await write(page, policy("'true'").replace("matchConstraints", "matchConstraint‸"), "New policies");
  await eventually(async () => assert.match((await wrong(pane))[0] ?? "", /^matchConstraint/));
  await verdictIs(page, "1 pass");
  await says(page.locator(".problems"), /Problems: none/);
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("what is wrong with new policies is marked as soon as they are there", async () => {
  const { page, finish } = await open(browser, rewrite);
  await write(page, policy("nope‸"), "New policies");
  // The address names the sample until it has followed the text.
  await page.waitForFunction(() => location.hash.includes("content=") && localStorage.getItem("podsieve:work")?.includes("nope"), null, { polling: 50 });
  await page.reload();
  await page.getByRole("tab", { name: "Compare" }).click();
  await eventually(async () => assert.deepEqual(await wrong(page.locator(".resources")), ["nope"]));
  await finish();
});

test("an exception in CEL has the same help", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, "In CEL: an exception");
  await page.click("#tab-exceptions");
  await helps(page, page.locator(".policies"), "Exceptions", exception);
  await finish();
});

test("on a phone a problem in new policies is seen, and mended by its button", async () => {
  const { page, finish } = await open(browser, rewrite, phone);
  await page.locator(".views").getByRole("button", { name: "Resources" }).tap();
  await write(page, policy("object.metadata.name.startWith‸('b')"), "New policies");
  await page.locator(".resources .field:visible .cm-lintRange-error").first().waitFor();
  await eventually(async () => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Alt+i");
    await page.locator(".cm-about .cm-button", { hasText: "Write startsWith" }).waitFor({ timeout: 1000 });
  });
  assert.deepEqual(await axe(page), []);
  await page.locator(".cm-about .cm-button", { hasText: "Write startsWith" }).tap();
  await eventually(async () => assert.match(await line(page), /name\.startsWith\('b'\)$/));
  await finish();
});
