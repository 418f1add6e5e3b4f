// *Compare*: policies against the policies that are to take their place, and ClusterPolicies converted to CEL.
// In: the built www/dist, served. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, counts, eventually, launch, open, phone, retype, says, verdictIs, story } from "./browser.mjs";
import { write } from "./typing.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const sample = "/#/?policy=stories/a-rewrite-that-admits-more";
const button = (page, name) => page.locator(".compare").getByRole("button", { name, exact: true });
const grade = (page) => page.locator(".compare .grade h3");
const done = (page) => page.locator(".compare[aria-busy=false]").waitFor();
const requests = (page) => page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name.replace(/.*\//, "")));

/** The sample with its answer. */
async function compared(options = {}) {
  const opened = await open(browser, sample, options);
  await button(opened.page, "Compare").click();
  await says(grade(opened.page), "Different");
  await done(opened.page);
  return opened;
}

test("an empty side says what to do, and the module loads when it is asked for and not before", async () => {
  const { page, finish } = await open(browser, story);
  await page.getByRole("tab", { name: "Compare" }).click();
  // The new policies stand beside the old ones.
  await page.getByRole("tab", { name: "New policies", selected: true }).waitFor();
  await says(page.locator(".compare .hint"), /There is nothing to compare with yet: put the new policies into New policies/);
  assert.ok(await button(page, "Compare").isDisabled());
  assert.deepEqual(await axe(page), []);
  assert.ok(!(await requests(page)).some((name) => name.startsWith("comparison")));
  await button(page, "Show New policies").click();
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "New policies");
  await page.getByRole("tab", { name: "Results" }).click();
  await page.getByRole("tab", { name: "Resources", selected: true }).waitFor();
  await finish();
});

test("a rewrite that admits more: the smallest object, both sides with their lines, the object into Resources, the test copied", async () => {
  const { page, context, finish } = await compared();
  await says(page.locator(".compare .grade p"), /^The new policies are wider/);
  const first = page.locator(".compare .object").first();
  await says(first.locator("summary"), "Wider: a new Pod");
  await says(first.locator(".side h5").nth(0), /^Old\s+refuses it$/);
  await says(first.locator(".side h5").nth(1), /^New\s+admits it$/);
  await says(first.locator(".side").nth(0), /own-registry \/ images.*Images come from the registry of the shop/s);
  // The lines are marked, in both texts, and a click goes there.
  await page.locator(".policies .cm-marked").first().waitFor();
  await first.locator(".side").nth(0).getByRole("button", { name: /^policies line \d+$/ }).click();
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Policies");
  assert.deepEqual(await axe(page), []);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await first.getByRole("button", { name: "Copy kyverno-test.yaml" }).click();
  await first.getByRole("button", { name: "Copied" }).waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /kind: Test\n/);
  await verdictIs(page, "1 pass");
  await first.getByRole("button", { name: "Open this object in Resources" }).click();
  await says(page.locator(".compare .written"), /^Written into Resources\./);
  await verdictIs(page, "1 fail, 1 pass");
  await page.locator(".compare .written").getByRole("button", { name: "Undo" }).click();
  await verdictIs(page, "1 pass");
  await finish();
});

test("what was found stays while another tab is looked at, is out of date after an edit, and a mended policy decides the same", async () => {
  const { page, finish } = await compared();
  await page.getByRole("tab", { name: "Results" }).click();
  await page.getByRole("tab", { name: "Compare" }).click();
  await says(grade(page), "Different");
  await retype(page, "New policies", "contains('registry.shop.example/')) &&", "startsWith('registry.shop.example/')) &&");
  await page.locator(".compare .outdated .hint").waitFor();
  await retype(page, "New policies", "containers.all(container, container.image.contains", "containers.all(container, container.image.startsWith");
  await button(page, "Compare").click();
  await says(grade(page), "No difference found");
  await done(page);
  await says(page.locator(".compare .far"), /small mistakes put into the new policies/);
  await says(page.locator(".compare .grade p"), /This is not a proof\.$/);
  assert.deepEqual(await axe(page), []);
  // The text is remembered.
  await page.waitForTimeout(400);
  await page.reload();
  await page.getByRole("tab", { name: "Compare" }).click();
  await says(page.getByRole("textbox", { name: "New policies" }), /container\.image\.startsWith/);
  await finish();
});

test("a ClusterPolicy is converted beside itself, with its grade, and the conversion can be taken back", async () => {
  const { page, finish } = await open(browser, sample);
  await retype(page, "Policies", "allowExistingViolations: false", "allowExistingViolations: true");
  await button(page, "Convert to CEL").click();
  await says(page.locator(".compare .converted h3"), "1 of 1 policy converted");
  await says(page.locator(".compare .policy h4"), /ClusterPolicy own-registry: no difference found in \d+ requests/);
  await done(page);
  await says(page.locator(".compare .policy .said").last(), /allowExistingViolations/);
  await says(page.getByRole("textbox", { name: "New policies" }), /own-registry-replicationcontrollers|startsWith/);
  assert.deepEqual(await axe(page), []);
  // What the source alone admits of updates is not compared.
  assert.ok(await page.getByLabel("creations only").isChecked());
  await page.locator(".compare .written").getByRole("button", { name: "Undo" }).click();
  await says(page.getByRole("textbox", { name: "New policies" }), /contains\('registry/);
  await finish();
});

test("a conversion to another kind is chosen, and nothing that a comparison marked stays", async () => {
  const { page, finish } = await compared();
  await page.locator(".policies .cm-marked").first().waitFor();
  const choice = page.getByLabel("convert to");
  await choice.selectOption("ValidatingAdmissionPolicy");
  await button(page, "Convert to ValidatingAdmissionPolicy").click();
  await says(page.locator(".compare .converted h3"), "1 of 1 policy converted");
  await says(page.getByRole("textbox", { name: "New policies" }), /ValidatingAdmissionPolicyBinding/);
  await done(page);
  assert.equal(await page.locator(".policies .cm-marked").count(), 0);
  await choice.selectOption("ValidatingPolicy");
  await button(page, "Convert to ValidatingPolicy").click();
  await says(page.locator(".compare .outcome .hint").first(), "Policies holds nothing that becomes a ValidatingPolicy: no ValidatingAdmissionPolicy.");
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("what is not converted and what cannot be read is named with line and field", async () => {
  const { page, finish } = await open(browser, sample);
  await retype(page, "Policies", '"registry.shop.example/*"', '"{{ request.namespace }}/*"');
  await button(page, "Convert to CEL").click();
  await says(page.locator(".compare .policy h4"), /not converted/);
  await says(page.locator(".compare .policy .said").first(), /rule images, spec\.rules\[0\]\.validate\.pattern.*policies line 25/s);
  await says(page.locator(".compare .policy"), /converted whole or not at all/);
  await retype(page, "New policies", "validationActions", "validationActons");
  await button(page, "Compare").click();
  await says(grade(page), "Not compared");
  await says(page.locator(".compare .grade .said"), /^New policies: .*validationActons.* new policies line 6$/s);
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("a conversion that decides otherwise shows the object, and what either side says of it", async () => {
  const { page, finish } = await open(browser, sample);
  // Each removal moves those behind it, and the source passes over a place that is not there any more.
  await write(page, `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: shorter\nspec:\n  rules:\n    - name: r\n      match:\n        any:\n          - resources:\n              kinds: [Pod]\n      mutate:\n        foreach:\n          - list: request.object.spec.containers\n            preconditions:\n              any:\n                - key: "{{ element.name }}"\n                  operator: Equals\n                  value: a\n                - key: "{{ element.name }}"\n                  operator: Equals\n                  value: b\n            patchesJson6902: |-\n              - op: remove\n                path: /spec/containers/{{elementIndex}}\n`);
  await button(page, "Convert to CEL").click();
  await says(page.locator(".compare .policy h4"), /ClusterPolicy shorter: different in \d+ requests/);
  await done(page);
  // Nothing is said of a comparison that has come to its end.
  assert.equal(await page.locator(".compare .converted > .hint").count(), 0);
  const shown = page.locator(".compare .converted .object").first();
  await says(shown.locator("summary"), "Stricter: a new Pod");
  await says(shown.locator(".side").first(), /Old\s+admits it/);
  await says(shown.locator(".side").last(), /New\s+refuses it/);
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("a search can be stopped, with the keyboard alone", async () => {
  const { page, finish } = await open(browser, sample);
  const many = Array.from({ length: 12 }, (_, n) => `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: p${n}\nspec:\n  rules:\n    - name: r\n      match:\n        any:\n          - resources:\n              kinds: [Pod]\n      validate:\n        message: m\n        pattern:\n          spec:\n            containers:\n              - image: "registry${n}.example/*"\n                resources:\n                  limits:\n                    memory: "<=${n + 1}Gi"\n`).join("---\n");
  await write(page, many);
  await button(page, "Convert to CEL").focus();
  await page.keyboard.press("Enter");
  await page.locator(".compare progress").waitFor();
  await button(page, "Stop").focus();
  await page.keyboard.press("Enter");
  await says(page.locator(".compare .outcome .hint"), "Stopped: the new policies are not compared.");
  await done(page);
  await says(page.getByRole("textbox", { name: "New policies" }), /kind: ValidatingPolicy/);
  // The next question starts another worker.
  await button(page, "Convert to CEL").focus();
  await page.keyboard.press("Enter");
  await page.locator(".compare progress").waitFor();
  await button(page, "Stop").click();
  await done(page);
  await finish();
});

for (const colorScheme of ["light", "dark"]) {
  test(`on a phone, ${colorScheme}: nothing is wider than the screen, and axe has nothing to say`, async () => {
    const { page, finish } = await open(browser, sample, { ...phone, colorScheme });
    await button(page, "Compare").tap();
    await says(grade(page), "Different");
    await done(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const sides = await page.locator(".compare .side").evaluateAll((all) => all.slice(0, 2).map((side) => side.getBoundingClientRect().left));
    assert.equal(sides[0], sides[1], "the sides stand below each other");
    assert.deepEqual(await axe(page), []);
    await finish();
  });
}

test("in dark colours and with a wide window both sides stand beside each other", async () => {
  const { page, finish } = await compared({ colorScheme: "dark" });
  await eventually(async () => {
    const sides = await page.locator(".compare .side").evaluateAll((all) => all.slice(0, 2).map((side) => side.getBoundingClientRect().top));
    assert.equal(sides[0], sides[1]);
  });
  await counts(page.locator(".compare .object[open]"), 1);
  assert.deepEqual(await axe(page), []);
  await finish();
});
