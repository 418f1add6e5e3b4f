// Keys and values of YAML: where a place stands, what is completed there, what is said of a key.
// In: the built www/dist, served, and the scripts of www. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { shape, placeAt } from "../../www/js/late/place.js";
import { axe, counts, launch, open, says } from "./browser.mjs";
import { card, labels, line, listed, options, write } from "./typing.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** A document as CodeMirror has it, as far as `place.js` asks. */
function documentOf(text) {
  const lines = text.split("\n");
  const starts = lines.map((_, at) => lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0));
  const line = (number) => ({ number, from: starts[number - 1], text: lines[number - 1] });
  return { lines: lines.length, line, lineAt: (pos) => line(starts.findLastIndex((start) => start <= pos) + 1) };
}

/** The place of the mark in a text: path, and `key` or `value`. */
function place(text) {
  const found = placeAt(documentOf(text.replace("‸", "")), text.indexOf("‸"));
  return found && `${found.path.join("/")} ${found.isText ? "text" : found.isKey ? "key" : "value"}`;
}

test("a line is taken apart", () => {
  const { dashes, column, key, value } = shape('  - - "a b": [c] # d');
  assert.deepEqual([dashes, column, key, value], [[2, 4], 6, "a b", "[c] # d"]);
  assert.equal(shape("  =(image): '*'").key, "=(image)");
  assert.equal(shape("  - http://x.y").key, null);
});

test("a place is told by indentation, also where the text is in pieces", () => {
  assert.equal(place("a:\n  b:\n    ‸"), "a/b key");
  assert.equal(place("a:\n  b:\n  ‸"), "a key");
  assert.equal(place("a:\n- b: 1\n  ‸"), "a/[] key");
  assert.equal(place("a:\n  - b: 1\n    c‸: 2\nd: 3"), "a/[] key");
  assert.equal(place("a:\n  - b:\n    - c: ‸"), "a/[]/b/[]/c value");
  assert.equal(place("a:\n  - - b: ‸"), "a/[]/[]/b value");
  assert.equal(place("x: 1\n---\na:\n  ‸"), "a key");
  assert.equal(place("a:\n  # no key:\n\n  ‸"), "a key");
  assert.equal(place('a: {\n  b: "\nc:\n  ‸'), "c key");
  assert.equal(place("a:\n  b: [x, ‸]"), "a/b/[] value");
  assert.equal(place("a:\n  - ‸"), "a/[] key");
  // Texts and remarks have no keys.
  assert.equal(place("a: |\n  b: ‸"), "a text");
  assert.equal(place("a:\n- b: >-\n    - c\n    d:\n      - ‸"), "a/[]/b text");
  assert.equal(place("a: 1 # ‸"), null);
});

const head = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata:\n  name: p\n";
const rule = `${head}spec:\n  rules:\n    - name: r\n      match:\n        any:\n          - resources:\n              kinds: [Pod]\n`;

test("keys of a policy are completed by their place, with what they are for", async () => {
  const { page, finish } = await open(browser);
  await write(page, `${rule}      validate:\n        ‸`);
  await page.keyboard.type("pod");
  await listed(page);
  assert.equal((await labels(page))[0], "podSecurity");
  await says(card(page), /podSecurity: map[^]*Pod Security Standards/);
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Enter");
  // The next line is begun, and its keys are offered.
  await page.keyboard.type("lev");
  await listed(page);
  await page.keyboard.press("Enter");
  await listed(page);
  assert.deepEqual(await labels(page), ["privileged", "baseline", "restricted"]);
  await page.keyboard.type("bas");
  await page.waitForTimeout(200);
  await page.keyboard.press("Enter");
  assert.equal(await line(page), "          level: baseline");
  await finish();
});

test("choices are offered: actions, operators, controls, kinds, truth values", async () => {
  const { page, finish } = await open(browser);
  const cases = [
    [`${head}spec:\n  validationFailureAction: ‸`, ["Audit", "Enforce"]],
    [`${head}spec:\n  background: ‸`, ["true", "false"]],
    [`${rule}      preconditions:\n        all:\n          - key: a\n            operator: Du‸`, /^Duration/],
    [`${rule}      validate:\n        podSecurity:\n          level: baseline\n          exclude:\n            - controlName: Hos‸`, /^Host/],
    [`${rule.replace("[Pod]", "[Dep‸]")}`, /^Deployment$/],
    [`${rule.replace("[Pod]", "\n                - Dep‸")}`, /^Deployment$/],
    [`apiVersion: kyverno.io/v2\nkind: Pol‸`, /^PolicyException$/],
  ];
  for (const [text, wanted] of cases) {
    await write(page, text);
    await page.keyboard.press("Control+Space");
    await listed(page);
    const found = await labels(page);
    if (wanted instanceof RegExp) assert.match(found[0], wanted, text);
    else assert.deepEqual(found, wanted, text);
    await page.keyboard.press("Escape");
  }
  await finish();
});

test("keys of Kubernetes' kinds are completed, in resources and in patterns of policies", async () => {
  const { page, finish } = await open(browser);
  await write(page, "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n    - name: c\n      ‸", "Resources");
  await page.keyboard.type("imageP");
  await listed(page);
  assert.equal((await labels(page))[0], "imagePullPolicy");
  await says(card(page), /imagePullPolicy: Always or IfNotPresent or Never[^]*Image pull policy/);
  await page.keyboard.press("Enter");
  await listed(page);
  assert.deepEqual(await labels(page), ["Always", "IfNotPresent", "Never"]);
  await page.keyboard.press("Enter");
  assert.equal(await line(page), "      imagePullPolicy: Always");
  await write(page, `${rule}      validate:\n        pattern:\n          spec:\n            =(hostN‸`);
  await page.keyboard.press("Control+Space");
  await listed(page);
  assert.ok((await labels(page)).includes("hostNetwork"));
  await write(page, `${rule}      validate:\n        message: "{{ request.object.spec.hostN‸`);
  await page.keyboard.press("Control+Space");
  await listed(page);
  assert.equal((await labels(page))[0], "hostNetwork");
  const loop = `${rule}      validate:\n        foreach:\n          - list: request.object.spec.containers\n            pattern:\n              imageP‸`;
  await write(page, loop);
  await page.keyboard.press("Control+Space");
  await listed(page);
  assert.equal((await labels(page))[0], "imagePullPolicy");
  await finish();
});

test("a key says what it is where the pointer rests, and Enter ends a value that is written out", async () => {
  const { page, finish } = await open(browser);
  await write(page, "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  hostNetwork: ‸", "Resources");
  await page.keyboard.type("true");
  await page.waitForTimeout(300);
  await counts(options(page), 0);
  await page.keyboard.press("Enter");
  assert.equal((await line(page)).trim(), "");
  await page.locator(".resources .cm-line", { hasText: "hostNetwork" }).locator(".tok-propertyName").hover();
  await card(page).waitFor();
  await says(card(page), /hostNetwork: boolean[^]*Host networking/);
  assert.deepEqual(await axe(page), []);
  await finish();
});
