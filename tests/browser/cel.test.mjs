// What the editor helps with in expressions of CEL: colours, problems at their character, hovers, completion, edits; by keyboard, in light
// and dark, on a phone.
// In: the built www/dist, served, and the scripts of www. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { celFields } from "../../www/js/late/cel/colours.js";
import { axe, counts, eventually, launch, open, phone, retype, says, verdictIs, story } from "./browser.mjs";
import { give } from "./many.mjs";
import { card, labels, line, listed, write } from "./typing.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const POLICY = `apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata:
  name: no-root
spec:
  matchConstraints:
    resourceRules:
      - apiGroups: [""]
        apiVersions: [v1]
        operations: [CREATE, UPDATE]
        resources: [pods]
  matchConditions:
    - name: not-of-the-system
      expression: "object.metadata.namespace != \\"kube-system\\""
  variables:
    - name: containers
      expression: object.spec.containers
  validations:
    - expression: >-
        variables.containers.all(c,
        c.image.startsWith("registry.example/"))
      messageExpression: '"images of " + object.metadata.name + '' are not ours'''
    - expression: |-
        object.metadata.name != 'x' &&
        size(variables.containers) > 0
`;
const POD = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default, labels: {team: shop}}
spec:
  containers:
    - name: a
      image: registry.example/a:1
    - name: b
      image: elsewhere/b:2
`;

/** The policy with the first validation in another form; ‸ is the cursor. */
const asking = (expression) => POLICY.replace(/>-\n +variables\.containers\.all\(c,\n.*\n/, `${expression}\n`);

/** A page with both, its verdict there. */
async function evaluated(options, policy = POLICY, path = story) {
  const opened = await open(browser, path, options);
  await give(opened.page, policy, POD);
  await opened.page.locator(".results .rule, .results .empty").first().waitFor();
  await opened.page.waitForFunction(() => !document.querySelector(".results.stale"));
  return opened;
}

test("an expression is found with its tokens, in plain, quoted, folded and literal scalars", () => {
  const shown = (text) => celFields(text).map(({ from, to, tokens }) => [text.slice(from, to).trimEnd(), tokens.map((t) => `${t.kind} ${text.slice(t.from, t.to)}`)]);
  const of = (written) => shown(`a:\n- expression: ${written}\n  name: x\n`)[0];
  const wanted = ["name a", "sign .", "function f", "sign ("];
  assert.deepEqual(of("a.f('b', 1) && true"), ["a.f('b', 1) && true", [...wanted, "string 'b'", "sign ,", "literal 1", "sign )", "sign &", "sign &", "literal true"]]);
  assert.deepEqual(of("'a.f(''b'')'")[1], [...wanted, "string ''b''", "sign )"]);
  assert.deepEqual(of(String.raw`"a.f(\"b\")"`)[1], [...wanted, String.raw`string \"b\"`, "sign )"]);
  assert.deepEqual(of(">-\n    a.f(\n    '') // why\n")[1], [...wanted, "string ''", "sign )", "string // why"]);
  assert.deepEqual(of("|\n    a.f(r'\\d')")[1], [...wanted, "string r'\\d'", "sign )"]);
  assert.deepEqual(of("a.f(\n    \"\")")[1], [...wanted, 'string ""', "sign )"]);
  // In braces, and for each key that holds one.
  assert.deepEqual(shown("- {name: n, expression: a.b, x: y}")[0][0], "a.b");
  assert.deepEqual(shown("messageExpression: a\nvalueExpression: 'b'\nexpressions: c\n").map(([text]) => text), ["a", "b"]);
  assert.deepEqual(shown("expression: 'open\nname: x")[0][0], "open");
});

test("many expressions are read in a time that grows with the text", () => {
  for (const text of ["expression: a\n".repeat(20_000), "expression: '".repeat(5_000), `expression: |\n${"  'a' && \n".repeat(20_000)}`, `expression: "${"\\".repeat(50_000)}`]) {
    const start = process.cpuUsage().user;
    celFields(text);
    assert.ok(process.cpuUsage().user - start < 3_000_000, text.slice(0, 20));
  }
});

test("parts of an expression have colours of their own, before anybody turns to the editor", async () => {
  const { page, finish } = await evaluated();
  await page.locator(".policies .cm-expression-function", { hasText: "startsWith" }).waitFor();
  for (const [kind, words] of [["name", "containers"], ["string", "registry.example"], ["string", "kube-system"], ["literal", "0"], ["function", "all"]]) {
    await page.locator(`.policies .cm-expression-${kind}`, { hasText: words }).first().waitFor();
  }
  await finish();
});

test("a problem stands at its character, however the scalar is written", async () => {
  const { page, finish } = await evaluated();
  for (const [written, at] of [
    ["object.metadata.nme == nope", "n"],
    ["\"object.metadata.name == nope && 'é' != \\\"x\\\"\"", "n"],
    ["'object.metadata.name != ''é'' && nope'", "n"],
    [">-\n        object.metadata.name != '' &&\n        nope", "n"],
    ["|-\n        object.metadata.name != '' &&\n          nope", "n"],
  ]) {
    await write(page, asking(`${written}‸`));
    const wrong = page.locator(".policies .cm-lintRange-error").first();
    await says(wrong, at);
    const following = await wrong.evaluate((element) => {
      const line = element.closest(".cm-line");
      const range = document.createRange();
      range.setStart(line, 0);
      range.setEndBefore(element);
      return line.innerText.slice(range.toString().length);
    });
    assert.match(following, /^nope/, written);
  }
  await finish();
});

test("a wrong type is named at its character while somebody types, and goes with the last letter that was missing", async () => {
  const { page, finish } = await evaluated();
  await write(page, asking("'‸'"));
  const wrong = page.locator(".policies .cm-lintRange-error");
  const list = page.locator(".problems li");
  await page.keyboard.type("object.spec.replicas + 1 == size(object.metadata.name.", { delay: 15 });
  await page.keyboard.press("Escape");
  await wrong.first().waitFor();
  // What is there is of a type that cannot be compared so: the sign is marked, and no more of the line.
  await write(page, asking("size(object.metadata.name) ==‸"));
  await page.keyboard.type(" 'a'", { delay: 15 });
  await says(list.first(), /found no matching overload for '_==_' applied to '\(int, string\)'/);
  await eventually(async () => assert.deepEqual(await wrong.evaluateAll((all) => all.map((one) => one.innerText[0])), ["="]));
  for (let key = 0; key < 3; key++) await page.keyboard.press("Backspace");
  await page.keyboard.type("1", { delay: 15 });
  await counts(wrong, 0);
  await says(page.locator(".problems"), /Problems: none/);
  await finish();
});

/** A policy of a kind, and what its spec holds beside what it matches. */
const ofKind = (kind, rest, match = "matchConstraints") => {
  const version = kind.includes("Admission") ? "admissionregistration.k8s.io/v1" : "policies.kyverno.io/v1";
  const resources = '{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}';
  return `apiVersion: ${version}\nkind: ${kind}\nmetadata: {name: p}\nspec:\n  ${match}:\n    resourceRules: [${resources}]\n${rest}`;
};
const VALIDATION = "  validations: [{expression: 'true'}]\n";
const RULE = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - name: r\n    match: {any: [{resources: {kinds: [Pod]}}]}\n";
const template = (value) => `  generate:\n  - template:\n      interpolate: cel\n      value: ${value}\n`;
const attestor = (expression) => `  attestors:\n  - name: a\n    cosign:\n      key:\n        expression: ${expression}\n`;
const SIGNED = attestor("object.metadata.name") + VALIDATION;
const KIND = "kind: ConfigMap, apiVersion: v1, metadata: {name: a, namespace: b}";

/** Every kind of field that holds an expression, with a name in it that nothing has. */
const FIELDS = {
  "a validation": ofKind("ValidatingPolicy", "  validations:\n  - expression: object.kind == nope\n"),
  "its message": ofKind("ValidatingPolicy", "  validations:\n  - {expression: 'true', messageExpression: \"'é' + nope\"}\n"),
  "a variable": ofKind("ValidatingPolicy", `  variables:\n  - {name: a, expression: nope}\n${VALIDATION}`),
  "a match condition": ofKind("ValidatingPolicy", `  matchConditions:\n  - name: a\n    expression: 'nope'\n${VALIDATION}`),
  "an audit annotation": ofKind("ValidatingPolicy", `  auditAnnotations:\n  - {key: a, valueExpression: nope}\n${VALIDATION}`),
  "Kubernetes' own": ofKind("ValidatingAdmissionPolicy", "  validations:\n  - expression: >-\n      object.kind ==\n      nope\n"),
  "a patch": ofKind("MutatingPolicy", "  mutations:\n  - patchType: JSONPatch\n    jsonPatch: {expression: '[JSONPatch{op: \"remove\", path: nope}]'}\n"),
  "a configuration": ofKind("MutatingPolicy", "  mutations:\n  - patchType: ApplyConfiguration\n    applyConfiguration:\n      expression: |\n        Object{\n          kind: nope\n        }\n"),
  "what is generated": ofKind("GeneratingPolicy", "  generate:\n  - expression: generator.Apply(nope, [])\n"),
  "a template": ofKind("GeneratingPolicy", template(`|\n        {${KIND}, data: {a: 'x (( nope )) y'}}`)),
  "a template in quotes": ofKind("GeneratingPolicy", template(`"{${KIND}, data: {a: (( nope ))}}"`)),
  "a condition of deletion": ofKind("DeletingPolicy", "  schedule: '* * * * *'\n  conditions:\n  - name: a\n    expression: nope\n", "matchConstraints"),
  "images": ofKind("ImageValidatingPolicy", `  images:\n  - {name: a, expression: '[nope]'}\n${SIGNED}`),
  "what selects images": ofKind("ImageValidatingPolicy", `  matchImageReferences:\n  - expression: ref == nope\n${SIGNED}`),
  "an attestor": ofKind("ImageValidatingPolicy", attestor("nope") + VALIDATION),
  "a rule": `${RULE}    validate:\n      cel:\n        expressions:\n        - expression: object.kind == nope\n`,
  "the preconditions of a rule": `${RULE}    celPreconditions:\n    - {name: a, expression: nope}\n    validate: {cel: {expressions: [{expression: object.kind != ''}]}}\n`,
};

test("a problem stands at its character, and the colours of an expression, in every field that holds one", async () => {
  const { page, finish } = await evaluated();
  for (const [field, policy] of Object.entries(FIELDS)) {
    await write(page, `${policy}# ${field}‸`);
    await eventually(async () => {
      // Of Kubernetes' own it is a warning: the original evaluates the policy all the same.
      const wrong = page.locator(".policies :is(.cm-lintRange-error, .cm-lintRange-warning)");
      const found = await wrong.evaluateAll((all) => all.map((element) => {
        const line = element.closest(".cm-line");
        const range = document.createRange();
        range.setStart(line, 0);
        range.setEndBefore(element);
        return line.innerText.slice(range.toString().length);
      }));
      assert.ok(found.length === 1 && found[0].startsWith("nope"), `${field}: ${JSON.stringify(found)}`);
    });
    // The same word has the colour of a name there.
    await eventually(async () => {
      const names = await page.locator(".policies .cm-expression-name").allInnerTexts();
      assert.ok(names.some((name) => name === "nope" || name === "n"), `${field}: ${names}`);
    });
  }
  await finish();
});

test("a part says its type and its value on the chosen resource, where the pointer rests and by a key", async () => {
  const { page, finish } = await evaluated();
  await write(page, POLICY.replace("c.image", "c.im‸age"));
  const part = page.locator(".policies .cm-expression-name", { hasText: /^image$/ });
  await part.hover();
  await card(page).waitFor();
  await says(card(page), /c\.image[^]*dyn \(string\)[^]*"registry\.example\/a:1"[^]*on Pod default\/web, element 1/);
  assert.deepEqual(await axe(page), []);
  await page.mouse.move(700, 850);
  await counts(card(page), 0);
  await page.keyboard.press("Alt+i");
  await says(card(page), /c\.image[^]*"registry\.example\/a:1"/);
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Escape");
  await counts(card(page), 0);
  // A function, with an example that was checked.
  await page.locator(".policies .cm-expression-function", { hasText: "startsWith" }).hover();
  await says(card(page), /string\.startsWith\(string\) -> bool[^]*→ true[^]*bool/);
  await finish();
});

test("the value that a part says is that on the resource whose verdict is chosen", async () => {
  const { page, finish } = await open(browser);
  await give(page, POLICY.replace("registry.example/", "elsewhere/"), `${POD}---\n${POD.replace("name: web", "name: index").replace("registry.example/a:1", "third/c:3")}`);
  await verdictIs(page, "2 fail");
  await write(page, POLICY.replace("c.image", "c.im‸age"));
  await verdictIs(page, "2 fail");
  const value = async (pod, wanted) => {
    await page.locator(".group", { hasText: `Pod default/${pod}` }).locator(".choose").click();
    await page.locator(".policies .cm-expression-name", { hasText: /^image$/ }).hover();
    await says(card(page), wanted);
    await page.mouse.move(700, 850);
    await counts(card(page), 0);
  };
  await value("index", /"third\/c:3"[^]*on Pod default\/index/);
  await value("web", /"registry\.example\/a:1"[^]*on Pod default\/web/);
  await finish();
});

test("what is selected of an expression shows its value", async () => {
  const { page, finish } = await evaluated();
  await write(page, POLICY.replace("size(variables", "‸size(variables"));
  await page.keyboard.press("Shift+End");
  await says(card(page), /size\(variables\.containers\) > 0[^]*bool[^]*true/);
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("variables, fields of the kind and functions are completed by keyboard", async () => {
  const { page, finish } = await evaluated();
  await write(page, asking("‸"));
  await page.keyboard.type("object.spec.containers.all(c, c.ima");
  await listed(page);
  assert.equal((await labels(page))[0], "image");
  await says(card(page), /Container image name/);
  await page.keyboard.press("Enter");
  await page.keyboard.type(".starts");
  await listed(page);
  assert.equal((await labels(page))[0], "startsWith");
  await says(card(page), /string\.startsWith\(string\) -> bool[^]*→/);
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Tab");
  assert.match(await line(page), /c\.image\.startsWith\(\)$/);
  await write(page, asking("|-\n        variables.‸"));
  await page.keyboard.press("Control+Space");
  await listed(page);
  assert.equal((await labels(page))[0], "containers");
  await write(page, asking("'‸'"));
  await page.keyboard.press("Control+Space");
  await listed(page);
  for (const name of ["object", "request", "variables"]) assert.ok((await labels(page)).includes(name), name);
  // A text within it is left alone.
  await write(page, asking("object.metadata.name == 'obj‸'"));
  await page.keyboard.type("e");
  await page.waitForTimeout(500);
  await counts(page.locator(".cm-tooltip-autocomplete li"), 0);
  await finish();
});

test("a misspelt name or field is written right, a list asked for its size, a field that may be absent asked for first", async () => {
  const { page, finish } = await evaluated();
  const fix = async (written, label) => {
    await write(page, asking(written));
    await eventually(async () => {
      await page.keyboard.press("Escape");
      await page.keyboard.press("Alt+i");
      await page.locator(".cm-about .cm-button", { hasText: label }).first().waitFor({ timeout: 1000 });
    });
    assert.deepEqual(await axe(page), []);
    // The second time the keyboard goes to the first button.
    await page.keyboard.press("Alt+i");
    await page.locator(".cm-about .cm-button", { hasText: label }).first().focus();
    await page.keyboard.press("Enter");
    await counts(page.locator(".cm-about"), 0);
    return line(page);
  };
  assert.match(await fix("object.metadata.name.startWith‸('a')", "Write startsWith"), /name\.startsWith\('a'\)$/);
  assert.match(await fix("object.spec.contianers‸.size() > 0", "Write containers"), /spec\.containers\.size/);
  assert.match(await fix("object.spec.hostNetwork‸ == false", "orValue(false)"), /object\.spec\.\?hostNetwork\.orValue\(false\) == false$/);
  assert.match(await fix("object.spec.hostNetwork‸ == false", "Ask has("), /has\(object\.spec\.hostNetwork\) && object/);
  assert.match(await fix("variables.containers.filter(c, c.name == 'a')‸", "Ask size("), /size\(variables\.containers\.filter\(c, c\.name == 'a'\)\) > 0$/);
  await finish();
});

test("the list of problems has the buttons as well", async () => {
  const { page, finish } = await evaluated();
  await write(page, asking("object.metadata.name.startWith‸('a')"));
  await page.locator(".policies .cm-lintRange-error").first().waitFor();
  await page.locator(".policies .cm-lintRange-active, .policies .cm-lintRange-error").first().hover();
  const button = page.getByRole("button", { name: "Write startsWith" });
  await button.first().waitFor();
  await button.first().click();
  assert.match(await page.locator(".policies .cm-content").innerText(), /name\.startsWith\('a'\)/);
  await finish();
});

for (const [name, options] of [["dark", { colorScheme: "dark" }], ["phone", phone]]) {
  test(`the cards of expressions are in order, ${name}`, async () => {
    const { page, finish } = await evaluated(options);
    if (name === "phone") await page.locator(".views").getByRole("button", { name: "Policies" }).tap();
    await write(page, asking("object.spec.hostNetwork‸ == false"));
    await eventually(async () => {
      await page.keyboard.press("Escape");
      await page.keyboard.press("Alt+i");
      await page.locator(".cm-about .cm-button").first().waitFor({ timeout: 1000 });
    });
    assert.deepEqual(await axe(page), []);
    const box = await page.locator(".cm-about").boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= page.viewportSize().width, JSON.stringify(box));
    await finish();
  });
}

const SHOWN = POLICY.replace(/ {4}- expression: >-\n.*\n.*\n.*ours'''\n/, `    - expression: "size(variables.containers) < 9 && variables.containers.all(c, c.image.startsWith('registry.example/'))"\n`);

test("Why says each expression with the values of its parts, the half and the element that decided, its lines, and edits that pass", async () => {
  const { page, finish } = await evaluated(undefined, SHOWN);
  await verdictIs(page, "1 fail");
  await page.getByRole("tab", { name: "Why", exact: true }).click();
  const steps = page.locator(".late .trace .step");
  await steps.filter({ hasText: /namespace != "kube-system" is true/ }).waitFor();
  await steps.filter({ hasText: "variables.containers is" }).waitFor();
  await steps.filter({ hasText: "size(variables.containers) < 9 is true" }).waitFor();
  const decided = page.locator(".late .trace .step.decides");
  await counts(decided, 1);
  await says(decided, /c\.image\.startsWith\('registry\.example\/'\) is false[^]*elsewhere\/b:2[^]*this decided[^]*resources line 9/);
  // A click marks the lines of both.
  await decided.getByRole("button").first().click();
  await page.locator(".resources .cm-marked", { hasText: "elsewhere/b:2" }).waitFor();
  assert.deepEqual(await axe(page), []);
  // A line of the policy is answered with the steps of its expression.
  await page.locator(".policies .cm-line", { hasText: "object.spec.containers" }).first().click({ position: { x: 60, y: 8 } });
  await page.locator(".line-asked .step", { hasText: "variables.containers is" }).waitFor();
  const edit = page.locator(".late .edits li", { hasText: "spec.containers[1].image" }).first();
  await edit.getByRole("button", { name: /^Apply/ }).click();
  await verdictIs(page, "1 pass");
  await finish();
});

test("an expression that fails points at what the missing field would stand in, and an edit puts it there", async () => {
  const { page, finish } = await evaluated(undefined, SHOWN.replace(/"size\(variables.*\n/, "object.spec.containers[1].securityContext.privileged == false\n"));
  await verdictIs(page, "1 error");
  await page.getByRole("tab", { name: "Why", exact: true }).click();
  const decided = page.locator(".late .trace .step.decides");
  await says(decided, /no such key: securityContext[^]*resources line 8/);
  const edit = page.locator(".late .edits li", { hasText: "spec.containers[1].securityContext" }).first();
  await edit.getByRole("button", { name: /^Apply/ }).click();
  await verdictIs(page, "1 pass");
  await finish();
});

test("Why names both sides of || where both are false, every element that exists asked, the one that it stopped at, and the condition that left the resource out", async () => {
  const either = `"object.spec.?hostNetwork.orValue(true) == false || object.spec.containers.exists(c, c.image.startsWith('ours/'))"\n`;
  const { page, finish } = await evaluated(undefined, SHOWN.replace(/"size\(variables.*\n/, either));
  await verdictIs(page, "1 fail");
  await page.getByRole("tab", { name: "Why", exact: true }).click();
  const decides = page.locator(".late .trace .step.decides");
  await counts(decides, 3);
  await says(decides.nth(0), /orValue\(true\) == false is false/);
  await says(decides.nth(1), /is false: spec\.containers\[0\]\.image is registry\.example\/a:1[^]*resources line 7/);
  await says(decides.nth(2), /is false: spec\.containers\[1\]\.image is elsewhere\/b:2[^]*resources line 9/);
  // With one that is ours, that one decided alone.
  await retype(page, "Resources", "elsewhere", "ours");
  await verdictIs(page, "1 pass");
  await counts(decides.filter({ hasText: "c.image" }), 1);
  await says(decides.first(), /c\.image\.startsWith\('ours\/'\) is true: spec\.containers\[1\]\.image is ours\/b:2[^]*resources line 9/);
  await retype(page, "Resources", "namespace: default", "namespace: kube-system");
  await verdictIs(page, "1 skip");
  await says(page.locator(".because"), /object\.metadata\.namespace != "kube-system" is false: metadata\.namespace is kube-system[^]*policies line 14[^]*resources line 3/);
  await finish();
});

for (const [name, options] of [["dark", { colorScheme: "dark" }], ["phone", phone]]) {
  test(`Why of an expression is in order, ${name}`, async () => {
    const { page, finish } = await evaluated(options, SHOWN);
    await verdictIs(page, "1 fail");
    await page.getByRole("tab", { name: "Why", exact: true }).click();
    await page.locator(".late .trace .step.decides").waitFor();
    await page.locator(".late .edits li .remedy").first().waitFor();
    assert.deepEqual(await axe(page), []);
    const surplus = await page.locator("#result-view").evaluate((view) => view.scrollWidth - view.clientWidth);
    assert.ok(surplus <= 0, `${surplus} pixels too wide`);
    await finish();
  });
}
