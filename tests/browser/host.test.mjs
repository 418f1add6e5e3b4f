// Whose verdicts the page shows: a choice that one sees, that a link and a reload keep, with one headline and one reason.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { address, axe, launch, open, phone, says, verdictIs } from "./browser.mjs";
import { give } from "./many.mjs";

const POLICY = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: most}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  validations: [{expression: 'object.spec.replicas <= int(params.data.most)', message: too many}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: in-production}
spec:
  policyName: most
  validationActions: [Deny]
  matchResources: {namespaceSelector: {matchLabels: {env: prod}}}
  paramRef: {name: limits, namespace: shop, parameterNotFoundAction: Deny}
`;
const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {replicas: 3}
`;
const AROUND = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {env: prod}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: limits, namespace: shop}
data: {most: "2"}
`;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** The page with these texts. */
async function given(resources, options = {}) {
  const opened = await open(browser, "/", options);
  await give(opened.page, POLICY, resources);
  await opened.page.waitForFunction(() => !document.querySelector(".results.stale"));
  return { ...opened, host: opened.page.getByLabel("Whose verdicts"), results: opened.page.locator(".results .view") };
}

const chosen = (host) => host.evaluate((select) => select.selectedOptions[0].textContent);

test("a binding that selects namespaces and takes parameters has one headline and one reason", async () => {
  const { page, host, results, finish } = await given(`${DEPLOYMENT}---\n${AROUND}`);
  await verdictIs(page, "1 fail");
  assert.equal(await chosen(host), "as in a cluster");
  const text = await results.innerText();
  assert.match(text, /too many\nIn a cluster|too many/);
  assert.doesNotMatch(text, /in a cluster the policy says|error/);
  // The policy is not for the Namespace, which says so and not that it is refused.
  await says(page.locator(".group", { hasText: "Namespace shop" }), /the policy wants deployments/);
  assert.deepEqual(await axe(page), []);
  await host.selectOption("as the CLI says");
  await page.locator(".results .in-cluster", { hasText: "in a cluster the policy says" }).first().waitFor();
  assert.doesNotMatch(await results.innerText(), /In a cluster: refused/);
  await page.getByRole("button", { name: "Decide as in a cluster" }).first().click();
  await verdictIs(page, "1 fail");
  assert.equal(await chosen(host), "as in a cluster");
  await finish();
});

test("why? tells what kept a binding from a resource", async () => {
  const { page, finish } = await given(`${DEPLOYMENT}---\n${AROUND.replace("env: prod", "env: test")}`);
  await verdictIs(page, "no rule matched");
  const group = page.locator(".group", { hasText: "Deployment shop/web" });
  await says(group, /binding in-production: namespaceSelector does not select namespace shop/);
  await group.getByRole("button", { name: "why?" }).click();
  await page.getByRole("tab", { name: "Why", selected: true }).waitFor();
  await says(page.locator(".because"), /namespaceSelector/);
  await finish();
});

test("the choice is a part of the link, of a reload and of the way back", async () => {
  const { page, host, finish } = await given(DEPLOYMENT);
  await host.selectOption("as the CLI says");
  await page.locator(".results .unmatched, .results .rule").first().waitFor();
  await page.click("#open-share");
  const link = await page.inputValue("#share-own");
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => location.hash.includes("content="));
  await page.reload();
  await page.locator(".results .unmatched, .results .rule").first().waitFor();
  assert.equal(await chosen(host), "as the CLI says");
  await finish();
  const other = await open(browser, link.slice(address.length));
  assert.equal(await chosen(other.page.getByLabel("Whose verdicts")), "as the CLI says");
  // Nothing is said of a field that this page itself has written.
  assert.doesNotMatch(await other.page.locator("body").innerText(), /not known to the Kyverno Playground/);
  await other.finish();
});

test("a classic policy is decided as by the Playground until one chooses otherwise", async () => {
  const { page, finish } = await open(browser);
  const host = page.getByLabel("Whose verdicts");
  assert.equal(await chosen(host), "as the Playground says");
  await host.selectOption("as the CLI says");
  await page.locator(".group", { hasText: "Pod default/" }).first().waitFor();
  await host.selectOption("as the Playground says");
  await page.waitForFunction(() => !document.querySelector(".results")?.innerText.includes("Pod default/"));
  await finish();
});

test("on a phone the choice stands beside the verdict", async () => {
  const { page, host, finish } = await given(`${DEPLOYMENT}---\n${AROUND}`, phone);
  await verdictIs(page, "1 fail");
  const [choice, verdict] = [await host.boundingBox(), await page.locator(".verdict").boundingBox()];
  assert.ok(choice.x + choice.width <= 390 && Math.abs(choice.y - verdict.y) < verdict.height, JSON.stringify({ choice, verdict }));
  assert.deepEqual(await axe(page), []);
  await finish();
});
