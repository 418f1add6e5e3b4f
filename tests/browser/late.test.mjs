// The views that load late: the sieve with its funnel, meshes, the smallest edits; and what they write into the editors.
// In: the built www/dist, served. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, counts, eventually, launch, open, openSample, phone, says, seedLink, verdictIs, story } from "./browser.mjs";
import { give } from "./many.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const REFUSED = "Step 1: the Deployment passes, its Pod does not";
const WIDE = "Step 4: one control for one image";

const show = (page, tab) => page.getByRole("tab", { name: tab, exact: true }).click();
/** The text of an editor, all of it. */
const text = (page, label) =>
  page.getByRole("textbox", { name: label, exact: true }).evaluate((editor) => editor.cmTile?.view?.state.doc.toString() ?? editor.innerText);
/** Waits until a view has answered to what is on screen. Asked by the clock: a busy machine may draw no frame for long. */
const settled = (page) =>
  page.waitForFunction(() => document.querySelector(".late [aria-busy]") && !document.querySelector(".late [aria-busy=true]"), null, { polling: 50 });

test("the sieve names who gets in through an exemption, and its tightening goes into the policy and back", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, WIDE);
  await show(page, "Sieve");
  await page.locator(".sieve .reaches", { hasText: "8 get in" }).waitFor();
  const before = await text(page, "Policies");
  // An attacker is shown as a comparison with the Pod that the exemption is meant for.
  const attacker = page.locator(".attack", { hasText: "docker.io.evil.example/istio/proxyv2" }).first();
  await attacker.locator("summary").click();
  await says(attacker.locator(".added code").first(), /image: docker\.io\.evil\.example/);
  await says(attacker.locator(".removed code").first(), /image: docker\.io\/istio\/proxyv2/);
  await says(attacker.locator(".message"), /Without the exemption: .*capabilities/);
  assert.deepEqual(await axe(page), []);
  // By keyboard, as with the pointer.
  const apply = page.locator(".group-of", { hasText: "evil.example/istio/proxyv2" }).first().getByRole("button", { name: /^Apply/ });
  await apply.focus();
  await page.keyboard.press("Enter");
  await page.locator(".written", { hasText: "Written into Policies." }).waitFor();
  await page.locator(".sieve .reaches", { hasText: "3 get in" }).waitFor();
  assert.match(await text(page, "Policies"), /- ["']docker\.io\/istio\/proxyv2:\*["']/);
  await page.locator(".written").getByRole("button", { name: "Undo" }).click();
  await page.locator(".sieve .reaches", { hasText: "8 get in" }).waitFor();
  assert.equal(await text(page, "Policies"), before);
  await finish();
});

test("a Pod that is called a lookalike starts unticked", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, WIDE);
  await show(page, "Sieve");
  await page.locator(".sieve .reaches", { hasText: "8 get in" }).waitFor();
  const box = (name) => page.locator(".meant li", { hasText: name }).getByRole("checkbox");
  assert.deepEqual([await box("orders-pod").isChecked(), await box("lookalike").isChecked()], [true, false]);
  await page.locator(".attack .family", { hasText: "given" }).waitFor();
  assert.equal(await page.locator(".sieve", { hasText: "registry.attacker.example" }).count(), 0);
  // By keyboard; what a tick lets in is named before it is written.
  await box("lookalike").focus();
  await page.keyboard.press("Space");
  await page.locator(".sieve .reaches", { hasText: "13 get in" }).waitFor();
  await says(page.locator(".group-of").first(), /of all Pods here Pod\/shop\/lookalike alone uses the registry registry\.attacker\.example/);
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("those who get in and have no row are told by family, so that the width can be added up", { skip: seedLink() ? false : "no shared/conformance/links beside the repository or above it" }, async () => {
  const { page, finish } = await open(browser, seedLink() ?? "/");
  await show(page, "Sieve");
  await page.locator(".sieve .reaches", { hasText: "7 get in" }).waitFor();
  const [all, notCounted] = [await page.locator(".attack").count(), await page.locator(".attack", { hasText: "not counted" }).count()];
  const line = await page.locator(".sieve .sub", { hasText: "not listed" }).innerText();
  const [, more, counted] = /^And (\d+) more of registry not listed, (\d+) of them counted\.$/.exec(line);
  assert.deepEqual([Number(more), all - notCounted + Number(counted)], [4, 7]);
  await finish();
});

test("the funnel shows every way with its width, and the narrowest is written into the exceptions", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, REFUSED);
  await show(page, "Sieve");
  const table = page.locator(".funnel table");
  await table.waitFor();
  await counts(table.locator("tbody tr"), 6);
  const widths = () => table.locator("tbody tr").last().locator("button").allInnerTexts();
  await eventually(async () => assert.deepEqual(await widths(), ["cannot", "4 of 29", "2 of 29", "cannot"]));
  await table.getByRole("button", { name: /^the control on the Pod, Pod Security Admission/ }).click();
  await says(page.locator(".chosen-way"), /cannot: Pod Security Admission stops at the profile/);
  await page.getByRole("button", { name: "Narrow it for me" }).click();
  await page.locator(".narrow .form").first().waitFor();
  await page.getByLabel("these very tags and digests").check();
  await page.locator(".narrow select").selectOption({ label: "after 30 days" });
  const exception = page.locator(".narrow .form", { hasText: "As a PolicyException" });
  await exception.locator("pre", { hasText: "cleanup.kyverno.io/ttl: 720h" }).waitFor({ state: "attached" });
  if (!(await exception.getByRole("button").isVisible())) await exception.locator("summary").first().click();
  // The Pod is one of a Deployment that stands beside it: the cluster gives the others other names.
  await says(exception, /names:\s+- orders-\*\n[^]*Refuses 29 attackers; 1 gets in all the same/);
  assert.deepEqual(await axe(page), []);
  await exception.getByRole("button", { name: "Write it into Exceptions" }).click();
  await page.locator(".written", { hasText: "Written into Exceptions." }).waitFor();
  await verdictIs(page, "1 pass, 1 skip");
  assert.match(await text(page, "Exceptions"), /kind: PolicyException[^]*docker\.io\/istio\/proxyv2:1\.24/);
  // The exemption that now stands there is attacked in turn.
  await page.locator(".sieve .object", { hasText: "PolicyException" }).first().waitFor();
  await page.locator(".written").getByRole("button", { name: "Undo" }).click();
  await verdictIs(page, "1 fail, 1 pass");
  await finish();
});

test("why ends with the smallest edits that make the rule pass, and puts them into the resource", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, REFUSED);
  await show(page, "Why");
  const edits = page.locator(".edits");
  await edits.locator("li").first().waitFor();
  await says(edits, /spec\.initContainers\[0\]\.securityContext\.capabilities\.add: is removed/);
  assert.deepEqual(await axe(page), []);
  const before = await text(page, "Resources");
  await edits.getByRole("button", { name: /^Apply/ }).first().click();
  await verdictIs(page, "2 pass");
  assert.match(await text(page, "Resources"), /capabilities:\n\s+drop:/);
  // The editor itself takes it back too.
  await page.getByRole("textbox", { name: "Resources", exact: true }).focus();
  await page.keyboard.press("Control+z");
  await verdictIs(page, "1 fail, 1 pass");
  assert.equal(await text(page, "Resources"), before);
  await finish();
});

test("why tells of each other rule of the policy why it is not for the resource", async () => {
  const { page, finish } = await open(browser);
  const rule = (name, kind) => `  - name: ${name}
    match: {any: [{resources: {kinds: [${kind}]}}]}
    validate: {message: m, pattern: {metadata: {labels: {app: "?*"}}}}
`;
  const policy = `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n${rule("for-pods", "Pod")}${rule("for-services", "Service")}`;
  await give(page, policy, "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {app: a}}\nspec: {containers: [{name: c, image: i}]}\n");
  await verdictIs(page, "1 pass");
  await page.getByRole("button", { name: "why?" }).first().click();
  const other = page.locator(".edits details", { hasText: "for-services" });
  await other.locator("summary").click();
  await says(other, /kind is Pod[^]*policies line/);
  await page.locator(".policies .cm-marked", { hasText: "Service" }).first().waitFor();
  assert.deepEqual(await axe(page), []);
  await finish();
});

/** Goes to the line of an editor that holds these words, as somebody does who clicks there. */
async function clickLine(page, pane, words) {
  const line = page.locator(`.${pane} .field:visible .cm-line`, { hasText: words }).first();
  await line.scrollIntoViewIfNeeded();
  await line.click({ position: { x: 60, y: 8 } });
}

const RULES = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: p
spec:
  rules:
    - name: prod-only
      match: {any: [{resources: {kinds: [Pod], namespaces: ["prod-*"]}}]}
      validate:
        message: m
        pattern: {metadata: {labels: {team: "?*"}}}
    - name: no-latest
      match: {any: [{resources: {kinds: [Pod]}}]}
      validate:
        message: no latest
        pattern:
          spec:
            containers:
              - image: "!*:latest"
    - name: caps
      match: {any: [{resources: {kinds: [Pod]}}]}
      validate:
        message: no capabilities
        deny:
          conditions:
            any:
              - key: "{{ request.object.spec.containers[].securityContext.capabilities.add[] || \`[]\` }}"
                operator: AnyIn
                value: [NET_ADMIN]
`;
const WEB = `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: default
spec:
  restartPolicy: Never
  containers:
    - name: web
      image: nginx:latest
      securityContext:
        capabilities:
          add: [NET_ADMIN]
`;

test("while Why is open, the line under the cursor says which steps read it, in a policy and in a resource", async () => {
  const { page, finish } = await open(browser);
  await give(page, RULES, WEB);
  await verdictIs(page, "2 fail");
  const asked = page.locator(".line-asked");
  // Elsewhere a click in an editor is not a question.
  await clickLine(page, "policies", "kinds: [Pod], namespaces");
  await counts(asked, 0);
  await show(page, "Why");
  await page.locator(".trace summary").waitFor();
  await clickLine(page, "policies", "operator: AnyIn");
  await asked.locator(".step", { hasText: "AnyIn" }).first().waitFor();
  await says(asked, /Policies line 28:[^]*p \/ caps: fail/);
  // Its rule is the chosen one, and its steps stand out among all.
  await says(page.locator(".chooser option:checked"), /caps/);
  await page.locator(".trace .step.chosen").first().waitFor();
  await page.locator(".policies .cm-marked", { hasText: "AnyIn" }).first().waitFor();
  assert.deepEqual(await axe(page), []);
  // By keyboard the cursor goes from line to line.
  await clickLine(page, "policies", "image:");
  await asked.locator(".step", { hasText: "the pattern wants" }).first().waitFor();
  await says(page.locator(".chooser option:checked"), /no-latest/);
  await page.locator(".resources .cm-marked", { hasText: "nginx:latest" }).first().waitFor();
  for (let line = 0; line < 4; line++) await page.keyboard.press("ArrowUp");
  await asked.getByText("This line decides nothing").waitFor();
  // A rule that is not for the resource never came to its pattern.
  await clickLine(page, "policies", "team:");
  await asked.getByText(/Never reached: the rule does not match: namespace is default, the rule wants prod-\*\./).waitFor();
  await clickLine(page, "policies", "name: p");
  await asked.getByText("No rule at this line").waitFor();
  // Which rules read a field of the resource.
  await clickLine(page, "resources", "image: nginx");
  await asked.getByText("p / no-latest: fail").waitFor();
  await counts(asked.locator(".sub"), 1);
  await clickLine(page, "resources", "add:");
  await asked.getByText("p / caps: fail").waitFor();
  await page.locator(".policies .cm-marked", { hasText: "operator" }).first().waitFor();
  await clickLine(page, "resources", "restartPolicy");
  await asked.getByText("No rule read this line.").waitFor();
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("why this line is asked by a key in an editor, and in the commands", async () => {
  const { page, finish } = await open(browser);
  await give(page, RULES, WEB);
  await verdictIs(page, "2 fail");
  await clickLine(page, "resources", "image: nginx");
  await page.keyboard.press("Alt+Enter");
  const asked = page.locator(".line-asked");
  await asked.getByText("p / no-latest: fail").waitFor();
  await page.getByRole("tab", { name: "Why", selected: true }).waitFor();
  assert.equal(await text(page, "Resources"), WEB);
  await show(page, "Results");
  await clickLine(page, "policies", "operator: AnyIn");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("why this");
  await page.keyboard.press("Enter");
  await asked.locator(".step", { hasText: "AnyIn" }).first().waitFor();
  await page.locator("body").press("Escape");
  await finish();
});

test("a line of a rule that is not for the resource: Why tells that rule's reason, and no other rule's verdict", async () => {
  const { page, finish } = await open(browser);
  await give(page, RULES, WEB);
  await verdictIs(page, "2 fail");
  await show(page, "Why");
  const because = page.locator(".because");
  await clickLine(page, "policies", "image:");
  await because.getByText("Fails because spec.containers[0].image is nginx:latest").waitFor();
  // What stands between back-ticks in the engine's sentence is code on the page, and no back-tick is left.
  await because.locator("code", { hasText: /^nginx:latest$/ }).waitFor();
  assert.doesNotMatch(await because.innerText(), /`/);
  await clickLine(page, "policies", "team:");
  await because.getByText("The rule prod-only does not apply to this resource, because").waitFor();
  await says(because, /namespace is default, the rule wants prod-\*/);
  await counts(page.locator(".because.is-fail"), 0);
  await says(page.locator(".chooser option:checked"), /no match {2}p \/ prod-only/);
  // Its steps are those of all, nothing offers an edit that would fix another rule, and it is no "other rule".
  await page.locator(".trace .step", { hasText: "prod-*" }).first().waitFor();
  await counts(page.locator(".edits .remedy"), 0);
  await counts(page.locator(".edits details:not(.trace)", { hasText: "prod-only" }), 0);
  assert.deepEqual(await axe(page), []);
  // A line of no rule leaves it.
  await clickLine(page, "policies", "name: p");
  await page.locator(".line-asked").getByText("No rule at this line").waitFor();
  await because.getByText("The rule prod-only").waitFor();
  // A click on the reason marks its lines; the next line is answered as ever.
  await because.getByRole("button", { name: /prod-\*/ }).click();
  await page.locator(".policies .cm-marked", { hasText: "prod-*" }).first().waitFor();
  await clickLine(page, "policies", "operator: AnyIn");
  await because.getByText(/^Fails because .*NET_ADMIN/).waitFor();
  await says(page.locator(".chooser option:checked"), /fail {2}p \/ caps/);
  // Where a policy says nothing at all, it is still the line's rule that is told of.
  await give(page, RULES.replaceAll("kinds: [Pod]}", "kinds: [Secret]}"), WEB);
  await verdictIs(page, "no rule matched");
  await show(page, "Why");
  await clickLine(page, "policies", "image:");
  await because.getByText("The rule no-latest does not apply to this resource, because").waitFor();
  await says(because, /kind is Pod, the rule wants Secret/);
  await finish();
});

test("on a phone the line that is tapped is answered below the editor, and a tap there opens the whole Why", async () => {
  const { page, finish } = await open(browser, story, phone);
  const turn = (view) => page.locator(".views").getByRole("button", { name: view }).tap();
  const tapLine = (pane, words) => page.locator(`.${pane} .field:visible .cm-line`, { hasText: words }).first().tap({ position: { x: 60, y: 8 } });
  await give(page, RULES, WEB);
  await verdictIs(page, "2 fail");
  const answer = page.locator(".answer");
  await turn("Resources");
  await tapLine("resources", "image: nginx");
  await page.locator(".resources .cm-activeLine", { hasText: "image: nginx" }).waitFor();
  // The page has answered to what came after the tap, and not to the tap: that is a question while Why is open.
  await page.keyboard.press("End");
  await page.keyboard.type("x");
  await verdictIs(page, "1 fail, 1 pass");
  await counts(answer, 0);
  await page.keyboard.press("Backspace");
  await verdictIs(page, "2 fail");
  await turn("Results");
  await show(page, "Why");
  await counts(answer, 0);
  await turn("Resources");
  // Before a line is asked about, it is the verdict that is told; while one types as well.
  await answer.getByText("p / no-latest: fail").waitFor();
  await answer.getByText(/Fails, because the pattern does not fit: .*nginx:latest/).waitFor();
  await tapLine("resources", "add:");
  await answer.getByText("p / caps: fail").waitFor();
  await answer.getByText(/the condition of deny holds/).waitFor();
  await tapLine("resources", "restartPolicy");
  await answer.getByText("No rule read this line.").waitFor();
  const [bar, views] = [await answer.boundingBox(), await page.locator(".views").boundingBox()];
  assert.ok(bar.height >= 44 && bar.height <= 88 && bar.y + bar.height <= views.y + 1, JSON.stringify(bar));
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("End");
  await page.keyboard.type("x");
  await answer.getByText("p / no-latest: fail").waitFor();
  await page.keyboard.press("Backspace");
  assert.equal(await text(page, "Resources"), WEB);
  await turn("Policies");
  await tapLine("policies", "team:");
  await answer.getByText("p / prod-only: does not match").waitFor();
  await answer.getByText(/namespace is default, the rule wants prod-\*/).waitFor();
  await tapLine("policies", "image:");
  await answer.getByText(/spec\.containers\[0\]\.image is `?nginx:latest/).waitFor();
  // The answer leads to all of it, with the keyboard there.
  await answer.getByRole("button").tap();
  const asked = page.locator(".line-asked");
  await asked.locator(".step", { hasText: "the pattern wants" }).first().waitFor();
  assert.ok(await asked.evaluate((element) => {
    const { top } = element.getBoundingClientRect();
    return document.activeElement === element && top >= 0 && top < innerHeight - 60;
  }));
  await counts(answer, 0);
  assert.deepEqual(await axe(page), []);
  // Beside the verdicts there is room: no bar.
  await page.setViewportSize({ width: 1200, height: 800 });
  await clickLine(page, "policies", "operator: AnyIn");
  await asked.locator(".step", { hasText: "AnyIn" }).first().waitFor();
  await counts(answer.filter({ visible: true }), 0);
  await finish();
});

test("with many resources the chosen one alone is explained, with steps and edits", async () => {
  const { page, finish } = await open(browser);
  await give(page, RULES, Array.from({ length: 70 }, (_, at) => WEB.replace("name: web", `name: web-${at}`)).join("---\n"));
  await page.locator(".matrix").waitFor();
  await show(page, "Why");
  await page.locator(".why .chooser").selectOption({ index: 65 });
  const name = /web-\d+/.exec(await page.locator(".chooser option:checked").innerText())[0];
  await page.locator(".deciding .step").first().waitFor();
  await says(page.locator(".trace summary"), /All \d+ steps/);
  await page.locator(".edits li .remedy").first().waitFor();
  const before = await text(page, "Resources");
  await page.locator(".edits").getByRole("button", { name: /^Apply/ }).first().click();
  await page.locator(".written", { hasText: "Written into Resources." }).waitFor();
  const documents = async (all) => all.split("---\n");
  const [old, now] = [await documents(before), await documents(await text(page, "Resources"))];
  const changed = now.filter((one, at) => one !== old[at]);
  assert.equal(changed.length, 1);
  assert.match(changed[0], new RegExp(`name: ${name}\n`));
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("the mesh lens says that the Deployment passes while its Pod will be refused, and puts that Pod into the resources", async () => {
  const { page, finish } = await open(browser);
  await openSample(page, REFUSED);
  await show(page, "Mesh");
  const deployment = page.locator(".mesh .object", { hasText: "Deployment shop/orders" });
  // A release, no candidate of the next; and what was injected before is not injected again.
  await deployment.waitFor();
  await says(page.getByLabel("Version").locator("option:checked"), /^1\.\d+\.\d+$/);
  const pod = page.locator(".mesh .object", { hasText: "Pod shop/orders-pod" });
  await pod.locator("summary").first().click();
  await pod.getByText("injected already: it holds istio-init and istio-proxy").waitFor();
  await counts(pod.getByText("What the mesh adds"), 0);
  await deployment.locator(".warning", { hasText: "The Deployment passes while its Pod will be refused, by 1 rule." }).waitFor();
  await says(deployment, /restricted → privileged[^]*container istio-init/);
  await deployment.locator("summary", { hasText: "The Pod as it arrives" }).click();
  await deployment.locator(".diff .added", { hasText: "istio-init" }).first().waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByLabel("with its CNI plugin").check();
  await deployment.locator(".verdicts", { hasText: "pass baseline" }).waitFor();
  await counts(deployment.locator(".warning"), 0);
  // A level is not a verdict, and has no colour of one.
  const colour = (place) => deployment.locator(place).first().evaluate((element) => getComputedStyle(element).color);
  assert.equal(await colour(".reaches"), await colour(".sub"));
  await page.getByLabel("As it arrives after injection by").selectOption("Linkerd");
  await deployment.getByText("container linkerd-proxy").waitFor();
  await page.getByLabel("with its CNI plugin").uncheck();
  await page.getByLabel("Version").selectOption("stable-2.10.2");
  await deployment.locator(".verdicts", { hasText: "NET_ADMIN" }).waitFor();
  await deployment.getByText("container linkerd-init").waitFor();
  await deployment.getByRole("button", { name: /^Put this Pod into Resources/ }).click();
  await page.locator(".written", { hasText: "Written into Resources." }).waitFor();
  await page.locator("#tab-resource .badge", { hasText: "3" }).waitFor();
  await page.locator(".written").getByRole("button", { name: "Undo" }).click();
  await page.locator("#tab-resource .badge", { hasText: "2" }).waitFor();
  await finish();
});

test("an expression that is selected shows its value on the chosen resource, with the values of its parts", async () => {
  const { page, finish } = await open(browser);
  const find = (words) => select(page, "Policies", words);
  await find("element.securityContext.capabilities.add[]");
  const card = page.locator(".policies .cm-values");
  await card.locator("pre").first().waitFor();
  const told = await card.innerText();
  assert.match(told, /^element\.securityContext\.capabilities\.add\[\]\n\["NET_ADMIN","SYS_ADMIN"\]/);
  assert.match(told, /element\.securityContext\n\{[^]*"capabilities"/);
  assert.match(told, /on Pod .*, rule \S+; of request\.object\.spec\.initContainers\[\] the first element/);
  assert.deepEqual(await axe(page), []);
  // A variable of the rule's context, and what is none.
  await page.keyboard.press("ArrowLeft");
  await card.waitFor({ state: "detached" });
  await find("{{ harmless }}");
  await card.locator("pre", { hasText: "AUDIT_WRITE" }).waitFor();
  await find("validationFailureAction");
  await page.waitForTimeout(600);
  await counts(card, 0);
  await finish();
});

/** Selects these words in an editor, by its search. */
async function select(page, label, words) {
  await page.getByRole("textbox", { name: label, exact: true }).focus();
  await page.keyboard.press("Control+f");
  const search = page.locator(".field:visible .cm-search input[name=search]");
  await search.selectText();
  await search.pressSequentially(words);
  await search.press("Enter");
  await search.press("Escape");
}

test("an expression in a condition of an exception, or in a cleanup policy, shows its value too", async () => {
  const { page, finish } = await open(browser);
  const exception = `apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: e, namespace: default}
spec:
  exceptions: [{policyName: p, ruleNames: [caps]}]
  match: {any: [{resources: {kinds: [Pod]}}]}
  conditions:
    any:
      - {key: "{{ request.object.metadata.name }}", operator: Equals, value: other}
`;
  const cleanup = `apiVersion: kyverno.io/v2
kind: ClusterCleanupPolicy
metadata: {name: old}
spec:
  schedule: "0 0 * * *"
  match: {any: [{resources: {kinds: [Pod]}}]}
  conditions:
    any:
      - {key: "{{ target.spec.restartPolicy }}", operator: Equals, value: Always}
`;
  await give(page, `${RULES}---\n${cleanup}---\n${exception}`, WEB);
  await page.locator("#tab-exceptions").click();
  await select(page, "Exceptions", "request.object.metadata.name");
  const card = page.locator(".policies .cm-values");
  await card.locator("pre", { hasText: /^"web"$/ }).waitFor();
  await says(card, /on Pod default\/web, rule caps/);
  assert.deepEqual(await axe(page), []);
  await page.locator("#tab-policy").click();
  await select(page, "Policies", "target.spec.restartPolicy");
  await card.locator("pre", { hasText: /^"Never"$/ }).waitFor();
  await finish();
});

test("names that are HTML stay text", async () => {
  const { page, finish } = await open(browser);
  const hostile = `<img src=x onerror="window.hostile=1">`;
  const policy = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: '${hostile}'
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {podSecurity: {level: baseline, exclude: [{controlName: Capabilities, images: ['*${hostile}*', '*/x*']}]}}
`;
  const pod = `apiVersion: v1
kind: Pod
metadata: {name: a, namespace: '${hostile}'}
spec: {containers: [{name: c, image: 'e.example/x:1', securityContext: {capabilities: {add: [NET_ADMIN]}}}]}
`;
  await give(page, policy, pod);
  for (const tab of ["Sieve", "Mesh"]) {
    await show(page, tab);
    await settled(page);
    await page.locator(".late", { hasText: "<img src=x" }).waitFor();
  }
  await counts(page.locator("#result-view img"), 0);
  assert.equal(await page.evaluate(() => window.hostile), undefined);
  await finish();
});
