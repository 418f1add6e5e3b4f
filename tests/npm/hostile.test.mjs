// Texts that mean harm, through WebAssembly, where a panic or a full stack takes the page down with it.
// In: seeded random texts as policy, resource and link, and the policies on which the original crashes, where the
// recorded answers lie beside the repository. Out: a failure where a call throws what it should not, or runs long.
// `tests/tests/all/hostile.rs` does the same natively.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

import { apply, decodeShare } from "../../engine/wasm/npm/dist/node.js";

const RUNS = 10_000;
const LONG = 10_000; // milliseconds one call may take on a busy machine

// Mulberry32: the same texts in every run.
function randomNumbers(seed) {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
}

const policy = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  background: false
  rules:
  - name: r
    match: {any: [{resources: {kinds: ["*"]}}]}
    validate: {pattern: {metadata: {name: "?*"}}}
`;
const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i}]}\n";
const pieces = [
  "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\n", "kind: Pod\n", "metadata:\n  name: x\n", "spec:\n  rules:\n  - name: r\n",
  "    match: {any: [{resources: {kinds: [Pod]}}]}\n", "    validate:\n", "      pattern: {spec: {(a): \"?*\", =(b): \">1 & <2Gi\"}}\n",
  "      foreach:\n      - list: request.object.spec.containers\n        deny: {}\n", "    mutate: {patchStrategicMerge: {spec: {(x): y}}}\n",
  "{{", "}}", "$(./a/../b)", "&a ", "*a ", "<<: *a\n", "!!binary ", "? ", ": ", "- ", "|+\n", ">-\n  ", "---\n", "[", "]", "{", "}", "\"", "'",
  "\t", "\n", "\ufeff", "\u0085", "😀", "\\ud800", "1e999", "-.inf", "012:30", "`", "%YAML 9.9\n", "?*", "-100-200",
  "{{ random('[0-9]{99999999}') }}", "{{ regex_match('(a*)*b', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa') }}", "{{ to_string(@) }}",
];

function hostileText(below) {
  let text = "";
  for (let left = below(40); left > 0; left -= 1) {
    const bytes = () => Buffer.from(Array.from({ length: below(12) }, () => below(256))).toString("utf8");
    text += below(4) === 0 ? bytes() : pieces[below(pieces.length)];
  }
  return text;
}

function inTime(what, run) {
  const started = performance.now();
  const answer = run();
  assert.ok(performance.now() - started < LONG, `took too long: ${what}`);
  return answer;
}

function judge(policies, resources) {
  const texts = (name, list) => list.map((text) => ({ name, text }));
  const input = { policies: texts("policy.yaml", policies), resources: texts("resource.yaml", resources), trace: true };
  const output = inTime(JSON.stringify(input), () => apply(input));
  assert.ok(Array.isArray(output.results) && Array.isArray(output.diagnostics));
  return output;
}

test(`${RUNS} random texts are answered`, () => {
  const below = randomNumbers(20261121);
  for (let run = 0; run < RUNS; run += 1) {
    const text = hostileText(below);
    const kind = below(3);
    if (kind === 0) judge([text], [pod]);
    else if (kind === 1) judge([policy], [text]);
    else judge([policy + text], [pod + text]);
  }
  assert.equal(judge([policy], [pod]).counts.pass, 1, "the module still works after all that");
});

test(`${RUNS} random links are read, or refused with words`, () => {
  const below = randomNumbers(20261122);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-$ %#é";
  for (let run = 0; run < RUNS; run += 1) {
    const body = Array.from({ length: below(300) }, () => alphabet[below(alphabet.length)]).join("");
    const link = below(2) === 0 ? body : `https://playground.kyverno.io/#/?content=${body}`;
    inTime(link, () => {
      try {
        decodeShare(link);
      } catch (error) {
        assert.ok(error.message !== "" && !error.message.includes("podsieve has a fault"), `${link}: ${error.message}`);
      }
    });
  }
});

const recorded = new URL("../recorded/random/crash.in.jsonl.gz", import.meta.url);

test("what crashes the original is answered", () => {
  const cases = gunzipSync(readFileSync(recorded)).toString("utf8").split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  assert.ok(cases.length > 0);
  for (const { id, policies, resources } of cases) {
    const { results, refused, diagnostics } = judge([...policies, policy], resources);
    const isTold = refused.length > 0 || diagnostics.length > 0 || results.some(({ rules }) => rules.some(({ status }) => status === "error"));
    assert.ok(isTold, `${id}: nothing is said about what the original crashes on`);
    const other = results.filter((result) => result.policy.name === "p" && result.rules.some(({ status }) => status === "pass"));
    assert.ok(other.length > 0, `${id}: the other policy says nothing`);
  }
});

test("what would nest without end is an error, and the next call is answered", () => {
  const around = (open, inner, close) => open.repeat(200) + inner + close.repeat(200);
  const rules = (text) => policy.slice(0, policy.indexOf("  - name: r")) + text;
  const match = "    match: {any: [{resources: {kinds: [Pod]}}]}\n";
  const numbers = (count) => Array.from({ length: count }, (_, n) => n);
  const entry = (n) => `    - name: v${n}\n      variable: {value: ${around("[", n === 0 ? '"x"' : `"{{ v${n - 1} }}"`, "]")}}\n`;
  const variables = (count) =>
    rules(`  - name: r\n${match}    context:\n${numbers(count).map(entry).join("")}`) +
    `    validate: {deny: {conditions: {all: [{key: "{{ v${count - 1} }}", operator: Equals, value: 1}]}}}\n`;
  const patch = `mutate: {patchStrategicMerge: {spec: {x: ${around("{a: ", '"{{ request.object.spec.x }}"', "}")}}}}`;
  const patches = rules(numbers(60).map((n) => `  - name: r${n}\n${match}    ${patch}\n`).join(""));
  const chain = (n) => `    - {name: v${n}, variable: {jmesPath: ${n === 0 ? "request" : `v${n - 1}`}}}\n`;
  const chained = rules(`  - name: r\n${match}    context:\n${numbers(5_000).map(chain).join("")}`) +
    '    validate: {deny: {conditions: {all: [{key: "{{ v4999 }}", operator: Equals, value: 1}]}}}\n';
  for (const [text, words] of [[variables(2), "256 levels"], [variables(25), "320 levels"], [variables(80), "320 levels"], [chained, "320 levels"], [patches, "256 levels"]]) {
    const { results } = judge([text], [pod.replace("spec: {", "spec: {x: {b: c}, ")]);
    assert.ok(results.some(({ rules }) => rules.some(({ status, message }) => status === "error" && message.includes(words))));
    assert.equal(judge([policy], [pod]).counts.pass, 1, "the next call is answered");
  }
  for (const parts of [5_000, 1_000_000]) {
    const name = Array(parts).fill("a").join(".");
    const { diagnostics } = apply({ host: "playground", policies: [{ name: "p", text: policy }], resources: [{ name: "r", text: pod }],
      context: [{ name: "context", text: `variables:\n  ? "${name}"\n  : x\n` }] });
    assert.ok(diagnostics.some(({ message }) => message.includes("256 levels")));
    assert.equal(judge([policy], [pod]).counts.pass, 1, "the next call is answered");
  }
});
