// What the editor helps with: colours of expressions, completion, hovers, search; by keyboard, in light and dark.
// In: the built www/dist, served, and the scripts of www. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { expressions, fields } from "../../www/js/expressions.js";
import { address, axe, counts, eventually, launch, open, phone, retype, says, verdictIs, story } from "./browser.mjs";
import { card, labels, line, listed, options, write } from "./typing.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const rows = JSON.parse(readFileSync(new URL("../../www/data/functions.json", import.meta.url), "utf8"));

const POLICY = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: helped
spec:
  rules:
    - name: other
      context:
        - name: elsewhere
          variable:
            value: 1
    - name: here
      context:
        - name: allowed
          configMap:
            name: allowed
            namespace: default
      match:
        any:
          - resources:
              kinds: [Pod]
      validate:
        message: >-
          {{ request.object.metadata.name }} is not
          {{ allowed |
             length(@) }}
        deny:
          conditions:
            any:
              - key: '{{ to_upper(''a'') || "b" }}'
                operator: Equals
                value: "{{ request.object.metadata.name == \`1\` }}"
`;

test("an expression is found with its tokens, however it is quoted and over lines", () => {
  const shown = (text) => expressions(text).map(({ from, to, tokens }) => [text.slice(from, to), tokens.map((t) => `${t.kind} ${text.slice(t.from, t.to)}`)]);
  const [[whole, tokens]] = shown(String.raw`key: "{{ a.\"b-c\" || to_upper('x y') == ${"`1`"} }}"`);
  assert.match(whole, /^\{\{.*\}\}$/);
  assert.deepEqual(tokens.slice(1, 9), ["name a", "sign .", 'string \\"b-c\\"', "sign |", "sign |", "function to_upper", "sign (", "string 'x y'"]);
  assert.equal(shown("{{ {a: {b: c}}}} {{ d }}").length, 2);
  assert.deepEqual(shown("  {{ a |\n  b }}")[0][1], ["sign {{", "name a", "sign |", "name b", "sign }}"]);
  // One that is not closed ends with its line, so that the next one is still found.
  assert.deepEqual(shown("{{ a\n{{ b }}").map(([text]) => text), ["{{ a", "{{ b }}"]);
  assert.equal(expressions("no braces").length, 0);
  const text = "- list: a.b[]\n  jmesPath: 'length(@)'\n  jmesPath: |\n";
  assert.deepEqual(fields(text).map(({ from, to }) => text.slice(from, to)), ["a", ".", "b", "[", "]", "length", "(", "@", ")"]);
});

test("many expressions are read in a time that grows with the text", () => {
  for (const text of ["{{ a }} ".repeat(20_000), "{{".repeat(50_000), "'".repeat(50_000), "{{ `".repeat(20_000), "{{ '\\".repeat(20_000)]) {
    const start = process.cpuUsage().user;
    expressions(text);
    fields(text);
    assert.ok(process.cpuUsage().user - start < 3_000_000, text.slice(0, 20));
  }
});

test("parts of an expression have colours of their own, in quotes and in text blocks", async () => {
  const { page, finish } = await open(browser);
  await write(page, POLICY);
  const colours = await page.evaluate(() => {
    const found = {};
    for (const part of document.querySelectorAll(".policies .cm-expression")) {
      const inner = part.querySelector("span") ?? part;
      (found[part.className.split("-").at(-1)] ??= new Set()).add(getComputedStyle(inner).color);
    }
    return Object.fromEntries(Object.entries(found).map(([kind, set]) => [kind, [...set]]));
  });
  assert.deepEqual(Object.keys(colours).toSorted(), ["function", "literal", "name", "sign", "string"]);
  const all = Object.values(colours).flat();
  assert.equal(new Set(all).size, 5, JSON.stringify(colours));
  await finish();
});

test("a function is completed by keyboard, inside braces", async () => {
  const { page, finish } = await open(browser);
  await write(page, POLICY.replace("{{ allowed |\n             length(@) }}", "{{ ‸ }}"));
  await page.keyboard.type("to_u");
  await listed(page);
  assert.equal((await labels(page))[0], "to_upper");
  await card(page).waitFor();
  await says(card(page), /to_upper\(string\) string[^]*all letters in upper case[^]*→/);
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Enter");
  await page.keyboard.type("'a'");
  assert.equal(await line(page), "          {{ to_upper('a') }}");
  await finish();
});

test("every function is among the completions, with the variables and this rule's context entries", async () => {
  const { page, finish } = await open(browser);
  await write(page, POLICY.replace("to_upper(''a'') ||", "‸ ||"));
  await page.keyboard.press("Control+Space");
  await listed(page);
  const first = (await labels(page)).slice(0, 8);
  assert.equal(first[0], "allowed");
  for (const root of ["request", "element", "images"]) assert.ok(first.includes(root), first.join());
  assert.ok(!(await labels(page)).includes("elsewhere"));
  await page.keyboard.press("Escape");
  for (const { name } of rows.filter((_, at) => at % 12 === 0)) {
    await page.keyboard.type(name);
    await page.keyboard.press("Control+Space");
    await listed(page);
    assert.equal((await labels(page))[0], name);
    await page.keyboard.press("Escape");
    for (let letter = 0; letter < name.length; letter++) await page.keyboard.press("Backspace");
  }
  await finish();
});

test("members are completed behind a dot, and nothing inside a text or outside an expression", async () => {
  const { page, finish } = await open(browser);
  await write(page, POLICY.replace("{{ request.object.metadata.name }} is not", "{{ ‸ }} is not"));
  await page.keyboard.type("request.userInfo.");
  await listed(page);
  assert.deepEqual((await labels(page)).toSorted(), ["extra", "groups", "uid", "username"]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Escape");
  await counts(options(page), 0);
  await page.keyboard.type("x == 'to_u");
  await page.waitForTimeout(300);
  await counts(options(page), 0);
  await finish();
});

test("a field that holds an expression is completed without braces", async () => {
  const { page, finish } = await open(browser);
  await write(page, POLICY.replace("variable:\n            value: 1", "variable:\n            jmesPath: ‸"));
  await page.keyboard.type("sem");
  await listed(page);
  assert.equal((await labels(page))[0], "semver_compare");
  await page.keyboard.press("Tab");
  assert.equal(await line(page), "            jmesPath: semver_compare()");
  await write(page, POLICY.replace("variable:\n            value: 1", "variable:\n            jmesPath: '‸'"));
  await page.keyboard.type("sem");
  await listed(page);
  await finish();
});

test("a function says what it is where the pointer rests", async () => {
  const { page, finish } = await open(browser);
  await write(page, POLICY);
  // The first pointer brings the help; the second rests on it.
  const name = page.locator(".policies .cm-expression-function").first();
  await page.locator(".policies .cm-content").hover();
  await page.waitForFunction(() => performance.getEntriesByType("resource").some(({ name }) => name.endsWith("late/assist.js")));
  await page.waitForTimeout(200);
  await name.hover();
  await card(page).waitFor();
  await says(card(page), /length\(string\|array\|object\) number/);
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("Tab indents, Escape and then Tab leaves the editor, with a list open or not", async () => {
  const { page, finish } = await open(browser);
  const isIn = (editor) => editor.evaluate((content) => content === document.activeElement);
  const resources = await write(page, "apiVersion: v1\nkind: Pod\nmetadata:\n‸name: p\n", "Resources");
  await counts(options(page), 0);
  await page.keyboard.press("Tab");
  assert.equal(await line(page), "  name: p");
  assert.ok(await isIn(resources));
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.ok(!(await isIn(resources)));
  await says(resources, /^ {2}name: p$/m);
  const policies = await write(page, POLICY.replace("{{ allowed |\n             length(@) }}", "{{ ‸ }}"));
  await page.keyboard.type("to_u");
  await listed(page);
  await page.keyboard.press("Escape");
  await counts(options(page), 0);
  assert.ok(await isIn(policies));
  await page.keyboard.press("Tab");
  assert.ok(!(await isIn(policies)));
  await says(policies, /\{\{ to_u \}\}/);
  await finish();
});

test("what was done is undone, also after another tab was open", async () => {
  const { page, finish } = await open(browser);
  await retype(page, "Resources", "SYS_ADMIN", "NET_RAW");
  await verdictIs(page, "3 pass");
  await page.locator("#add-resources").click();
  await page.locator(".further").getByRole("button", { name: /^Cluster/ }).click();
  await page.getByRole("textbox", { name: "Cluster" }).focus();
  await page.keyboard.insertText("# other\n");
  await page.locator("#tab-resource").click();
  await page.getByRole("textbox", { name: "Resources", exact: true }).focus();
  // As many steps as letters, on a slow machine.
  for (let step = 0; step < "NET_RAW".length; step++) await page.keyboard.press("Control+z");
  await verdictIs(page, "1 fail, 2 pass");
  await finish();
});

test("problems are gone through with the arrow keys, in their list and by F8 in the text", async () => {
  const { page, finish } = await open(browser);
  // An API server finds nothing else in it: what it finds comes a moment later and would join the list.
  const head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n";
  await write(page, `${head}  name: x\n  name: w\n---\n${head}  name: z\ndata:\n  b: "2"\n  b: "3"\n‸`, "Resources");
  const problems = page.locator(".problems .place");
  await problems.nth(1).waitFor();
  await problems.first().focus();
  await page.keyboard.press("ArrowDown");
  assert.ok(await problems.nth(1).evaluate((button) => button === document.activeElement));
  await page.keyboard.press("ArrowUp");
  assert.ok(await problems.first().evaluate((button) => button === document.activeElement));
  await page.keyboard.press("Enter");
  await eventually(async () => assert.equal((await line(page)).trim(), "name: w"));
  // The first time it selects what this problem is about.
  await page.keyboard.press("F8");
  await page.keyboard.press("F8");
  await eventually(async () => assert.equal((await line(page)).trim(), 'b: "3"'));
  await finish();
});

test("Enter behind a key begins a line below it, and nowhere else", async () => {
  const { page, finish } = await open(browser);
  const types = async (lines, wanted) => {
    await write(page, "‸");
    for (const line of lines) {
      await page.keyboard.type(line);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Enter");
    }
    await page.keyboard.type("x");
    const last = async () => (await page.locator(".policies .field:visible .cm-line").allInnerTexts()).at(-1);
    await eventually(async () => assert.equal(await last(), wanted));
  };
  await types(["spec:"], "  x");
  await types(["spec:", "- name: a", "match:"], "      x");
  await types(["kind: Pod"], "x");
  await types(["# a note:"], "x");
  await types(["message: |"], "  x");
  await types(["message: |", "so it is:"], "  x");
  await finish();
});

test("what is not YAML or not a policy is named by a hint", async () => {
  const { page, finish } = await open(browser);
  const hints = async (text, wanted) => {
    await write(page, `${text}‸`);
    await says(page.locator(".problems"), wanted);
  };
  const policy = (kind) => `apiVersion: kyverno.io/v1\nkind: ${kind}\nmetadata:\n  name: a\n`;
  await hints(`${policy("ClusterPolicy")}spec:\n\trules: []\n`, /there is a tab here: YAML indents with spaces/);
  await hints(`${policy("ClusterPolicy")}spec:\n  kinds: [*]\n`, /a bare \* begins an alias/);
  await hints(`{{- if .Values.on }}\n${policy("ClusterPolicy")}{{- end }}\n`, /this looks like a Helm template/);
  await hints("package kubernetes.admission\n\ndeny[msg] {\n  input.request.kind.kind == \"Pod\"\n}\n", /looks like Rego/);
  await hints(policy("ClusterPolic"), /did you mean ClusterPolicy/);
  await finish();
});

test("blocks are folded and unfolded by keyboard, and Find marks what it finds", async () => {
  const { page, finish } = await open(browser);
  await write(page, "apiVersion: v1\nkind: Pod\nmetadata‸:\n  name: p\n  labels:\n    a: p\nspec: {}\n", "Resources");
  await page.keyboard.press("Control+Shift+BracketLeft");
  await page.locator(".resources .cm-foldPlaceholder").waitFor();
  await page.keyboard.press("Control+Shift+BracketRight");
  await counts(page.locator(".resources .cm-foldPlaceholder"), 0);
  await page.keyboard.press("Control+f");
  await page.locator(".resources .cm-search input[name=search]").pressSequentially("p");
  await page.locator(".resources .cm-searchMatch").first().waitFor();
  assert.deepEqual(await axe(page), []);
  await finish();
});

test("the list fits a phone", async () => {
  const { page, finish } = await open(browser, story, phone);
  await page.locator(".views").getByRole("button", { name: "Policies" }).tap();
  await write(page, POLICY.replace("{{ allowed |\n             length(@) }}", "{{ ‸ }}"));
  await page.keyboard.type("to_");
  await listed(page);
  await card(page).waitFor();
  const { left, right } = await page.locator(".cm-tooltip-autocomplete > ul").evaluate((list) => list.getBoundingClientRect().toJSON());
  assert.ok(left >= 0 && right <= 390, `${left} to ${right}`);
  assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 390);
  await finish();
});

test("nothing of it is loaded before somebody turns to an editor, and all of it is kept for offline use", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(address);
  await verdictIs(page, "1 fail, 1 pass");
  await page.waitForTimeout(300);
  assert.deepEqual(asked.filter((url) => url.includes("/late/")), []);
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    const isKept = async () => {
      const [name] = (await caches.keys()).filter((name) => name.startsWith("assets-"));
      return (await (await caches.open(name)).keys()).some(({ url }) => url.endsWith("late/assist.js"));
    };
    while (!(await isKept())) await new Promise((done) => setTimeout(done, 100));
  });
  await context.setOffline(true);
  await page.reload();
  await verdictIs(page, "1 fail, 1 pass");
  await write(page, POLICY.replace("{{ allowed |\n             length(@) }}", "{{ ‸ }}"));
  await page.keyboard.type("to_u");
  await listed(page);
  await context.close();
});
