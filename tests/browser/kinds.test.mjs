// Kinds in CEL on the page: when the engine for them comes, the tabs for what they need, their sieve, their Why.
// In: the built www/dist, served. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { address, axe, counts, eventually, launch, open, openSample, retype, says, verdictIs } from "./browser.mjs";
import { give } from "./many.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const show = (page, tab) => page.getByRole("tab", { name: tab, exact: true }).click();

test("the engine for policies in CEL comes with the first text that holds one, and not before", async () => {
  const { page, context, finish } = await open(browser);
  const asked = [];
  context.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await openSample(page, "Require labels");
  assert.deepEqual(asked.filter((path) => path.includes("whole")), []);
  await openSample(page, "In CEL: any JSON");
  await verdictIs(page, "1 fail");
  assert.ok(asked.some((path) => path.endsWith("/whole_bg.wasm")), asked.join("\n"));
  await finish();
});

test("a link with a policy in CEL is decided cold, and comes back the same", async () => {
  const first = await open(browser);
  await openSample(first.page, "In CEL: an exception");
  await first.page.click("#open-share");
  const link = await first.page.inputValue("#share-original");
  await first.finish();
  const { page, finish } = await open(browser, link.slice(link.indexOf("/#")));
  await verdictIs(page, "1 fail, 1 skip");
  await page.locator("#tab-exceptions").waitFor();
  await page.click("#open-share");
  assert.equal(await page.inputValue("#share-original"), link);
  await finish();
});

test("once the page is idle at a second visit, the engine for CEL is kept: without a network a policy in CEL is evaluated", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(address);
  await verdictIs(page, "1 fail, 1 pass");
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.reload();
  await verdictIs(page, "1 fail, 1 pass");
  const kept = () => page.evaluate(async () => {
    const files = await Promise.all((await caches.keys()).map(async (name) => (await (await caches.open(name)).keys()).map(({ url }) => url)));
    return files.flat();
  });
  await eventually(async () => assert.ok((await kept()).some((file) => /\/whole[^/]*\.wasm$/.test(file))));
  await context.setOffline(true);
  await openSample(page, "In CEL: any JSON");
  await verdictIs(page, "1 fail");
  await context.close();
});

test("each kind has a sample at least, and there are more than eighty", async () => {
  const { page, finish } = await open(browser);
  const address = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name).find((name) => name.endsWith("/app_bg.wasm")));
  const texts = Object.values(await page.evaluate((url) => fetch(url).then((found) => found.json()), address.replace("app_bg.wasm", "late/samples.json")));
  assert.ok(texts.length >= 80, String(texts.length));
  await page.click("#open-samples");
  assert.equal(await page.locator(".menu .entry").count(), texts.length);
  const all = texts.join("\n");
  const own = ["ValidatingPolicy", "MutatingPolicy", "GeneratingPolicy", "DeletingPolicy", "ImageValidatingPolicy"];
  const kinds = [...own, ...own.map((kind) => `Namespaced${kind}`), "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "PolicyException"];
  for (const kind of kinds) assert.match(all, new RegExp(`^kind: ${kind}$`, "m"), kind);
  assert.match(all, /^    mode: JSON$/m);
  await finish();
});

test("a parameter in the tab Cluster, who asks in Request: the verdict follows both", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, "In CEL: parameters of an admission policy");
  await verdictIs(page, "1 fail, 1 pass");
  await page.click("#tab-clusterResources");
  await retype(page, "Cluster", "5", "50");
  await verdictIs(page, "2 pass");
  await openSample(page, "In CEL: who asks");
  await verdictIs(page, "1 fail");
  await says(page.locator(".results"), /alice is not in the group release/);
  await page.click("#tab-context");
  await retype(page, "Request", "[developers", "[release");
  await verdictIs(page, "1 pass");
  await finish();
});

const ADMISSION = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: owned}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  validations:
  - expression: object.spec.containers.all(c, c.image.startsWith('ghcr.io/'))
    message: not from our registry
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: owned}
spec:
  policyName: owned
  validationActions: [Deny]
  matchResources:
    objectSelector:
      matchLabels:
        team: shop
`;
const pod = (name, more, image = "registry.example/app:1") =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n  namespace: store\n${more}spec:\n  containers:\n  - name: app\n    image: ${image}\n`;

test("a binding says which objects an admission policy is for, and its change is seen at once", async () => {
  const { page, finish } = await open(browser);
  const of = (team) => pod(`of-${team}`, `  labels: {team: ${team}}\n`);
  await give(page, ADMISSION, `${of("shop")}---\n${of("mesh")}`);
  await verdictIs(page, "1 fail");
  await says(page.locator(".results"), /store\/of-shop[^]*not from our registry/);
  await retype(page, "Policies", "team: shop", "team: mesh");
  await eventually(async () => assert.match(await page.locator(".results").innerText(), /store\/of-mesh[^]*not from our registry/));
  await verdictIs(page, "1 fail");
  await finish();
});

test("the sieve attacks an exception in CEL, and its tightening goes into the text", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, "In CEL: an exception for one image");
  await show(page, "Sieve");
  await page.locator(".sieve .object", { hasText: "PolicyException" }).first().waitFor();
  await page.locator(".sieve", { hasText: "PolicyException for policies in CEL" }).waitFor();
  await page.locator(".attack").first().waitFor();
  assert.deepEqual(await axe(page), []);
  await page.locator(".sieve").getByRole("button", { name: /^Apply/ }).first().click();
  await page.locator(".written", { hasText: "Written into" }).waitFor();
  await page.locator(".written").getByRole("button", { name: "Undo" }).click();
  await finish();
});

const SIGNED = `apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: {name: signed}
spec:
  validationConfigurations: {mutateDigest: false, required: false, verifyDigest: false}
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  matchImageReferences:
  - expression: "!ref.contains('istio/proxyv2')"
  attestors:
  - name: signer
    cosign: {keyless: {identities: [{subject: builder, issuer: issuer}]}}
  validations:
  - message: not signed
    expression: "images.containers.all(i, verifyImageSignatures(i, [attestors.signer]) > 0)"
`;

test("the sieve attacks what a policy of images leaves out, with images that nobody signed", async () => {
  const { page, finish } = await open(browser);
  await give(page, SIGNED, pod("proxy", "", "docker.io/istio/proxyv2:1.24.1"));
  await verdictIs(page, "1 pass");
  await show(page, "Sieve");
  await page.locator(".sieve", { hasText: "selection of images" }).waitFor();
  const attacker = page.locator(".group-of", { hasText: "evil.example" }).first();
  await attacker.getByRole("button", { name: /^Apply/ }).click();
  await page.locator(".written", { hasText: "Written into Policies." }).waitFor();
  await page.locator(".policies .cm-line", { hasText: "ref.startsWith('docker.io/istio/proxyv2:')" }).waitFor();
  await verdictIs(page, "1 pass");
  assert.deepEqual(await axe(page), []);
  await finish();
});

const RULE = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: guard}
spec:
  rules:
  - name: containers
    match: {any: [{resources: {kinds: [Pod]}}]}
    celPreconditions:
    - {name: not-store, expression: "!(object.metadata.namespace in ['store'])"}
    validate:
      cel:
        expressions:
        - {message: no latest, expression: "object.spec.containers.all(c, !c.image.endsWith(':latest'))"}
`;

test("the sieve attacks a negated precondition of a rule in CEL", async () => {
  const { page, finish } = await open(browser);
  await give(page, RULE, pod("web", "", "registry.example/app:latest"));
  await verdictIs(page, "1 skip");
  await show(page, "Sieve");
  await page.locator(".sieve", { hasText: "match condition" }).waitFor();
  await page.locator(".sieve .reaches", { hasText: /get in$/ }).first().waitFor();
  await finish();
});

test("Why takes a policy of images apart, with the image data as they are given", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, "In CEL: images are signed");
  await verdictIs(page, "1 fail, 1 pass");
  await show(page, "Why");
  const steps = page.locator(".late .trace .step");
  await steps.filter({ hasText: "verifyImageSignatures" }).first().waitFor();
  await counts(page.locator(".late .trace .step.decides"), 1);
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("Why takes an admission policy that mutates apart: conditions, then what each change gives", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, "In CEL: Kubernetes' own policy that mutates");
  await show(page, "Why");
  await page.locator(".chooser").selectOption({ index: 0 });
  const steps = page.locator(".late .trace .step");
  await steps.filter({ hasText: /gives|makes|Object\{|JSONPatch/ }).first().waitFor();
  assert.deepEqual(await axe(page), []);
  await finish();
});
