// `podsieve/compare`: policies compared and converted, with progress, limits and refusals.
// In: engine/wasm/npm/dist, made by `cargo xtask build`. Run by `cargo xtask test npm`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import { compare, convert, init } from "../../engine/wasm/npm/dist/compare-node.js";

const classic = (pattern, action = "Enforce") => `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: require-team
spec:
  rules:
    - name: team
      match:
        any:
          - resources:
              kinds: [Pod]
      validate:
        failureAction: ${action}
        message: The label team is required.
        pattern:
          metadata:
            labels:
              team: "${pattern}"
`;

test("a rewrite that admits more is shown with the smallest object, the lines of both and a test", async () => {
  await init();
  const answer = compare({ old: [{ name: "old.yaml", text: classic("?*") }], new: [{ name: "new.yaml", text: classic("*") }] });
  assert.equal(answer.grade, "different");
  const [finding] = answer.findings;
  assert.deepEqual([finding.direction, finding.operation, finding.object.kind], ["wider", "CREATE", "Pod"]);
  assert.deepEqual([finding.old.effect, finding.new.effect], ["deny", "allow"]);
  assert.match(finding.yaml, /^kind: Pod$/m);
  const [rule] = finding.old.rules;
  assert.deepEqual([rule.policy, rule.rule, rule.status, rule.range.input, rule.range.name], ["require-team", "team", "fail", "old", "old.yaml"]);
  assert.ok(rule.range.line > 10, JSON.stringify(rule.range));
  assert.equal(finding.test.files[0].name, "kyverno-test.yaml");
  assert.ok(answer.assumptions.some((said) => said.startsWith("operations: ")));
  // The same seed gives the same answer.
  assert.deepEqual(compare({ old: classic("?*"), new: classic("*") }).findings[0].yaml, finding.yaml);
});

test("equal policies are the same, a level is a side, what cannot be read is named with its line", () => {
  assert.equal(compare({ old: classic("?*"), new: classic("?*").replace("is required", "is missing") }).grade, "same");
  const level = compare({ old: "level: restricted", new: "level: baseline", maxRequests: 200 });
  assert.deepEqual([level.grade, level.findings[0].direction], ["different", "wider"]);
  const broken = compare({ old: classic("?*"), new: classic("?*").replace("pattern:", "patern:") });
  assert.equal(broken.grade, "not compared");
  assert.deepEqual([broken.reasons[0].side, broken.reasons[0].range.input], ["new", "new"]);
  assert.match(JSON.stringify(broken.reasons), /patern/);
});

test("a search tells how far it is, and ends where it is told to", () => {
  const heard = [];
  const old = readFileSync(new URL("compare-old.yaml", import.meta.url), "utf8");
  const input = { old, new: convert({ policies: old, noCompare: true }).policies[0].text, mutants: 0 };
  const stopped = compare(input, (requests) => {
    heard.push(requests);
    return false;
  });
  assert.ok(heard.length <= 1, "it is not called again after `false`");
  if (heard.length === 1) assert.deepEqual([stopped.stopped, stopped.grade], [true, "no difference found"]);
  const limited = compare({ ...input, maxSeconds: 0 });
  assert.equal(limited.stopped, true);
  const thrown = new Error("enough");
  if (heard.length === 1) assert.throws(() => compare(input, () => { throw thrown; }), thrown);
});

test("a ClusterPolicy becomes a ValidatingPolicy with its grade; what has no faithful form has a line and a field", () => {
  const { policies, diagnostics } = convert({ policies: classic("?*") });
  assert.deepEqual(diagnostics, []);
  const [one] = policies;
  assert.deepEqual([one.kind, one.name, one.converted], ["ClusterPolicy", "require-team", true]);
  assert.ok(["same", "no difference found"].includes(one.grade), one.grade);
  assert.match(one.text, /^kind: ValidatingPolicy$/m);
  assert.ok(one.notes.some((note) => note.includes("allowExistingViolations")));
  const again = compare({ old: classic("?*"), new: one.text, operations: ["CREATE"] });
  assert.ok(again.grade === "no difference found" || (again.grade === "same" && again.search.cases > 1), again.grade);
  const refused = convert({ policies: classic("{{ random('[a-z]{3}') }}") }).policies[0];
  assert.deepEqual([refused.converted, refused.text, refused.grade], [false, "", undefined]);
  const [why] = refused.refused;
  assert.deepEqual([why.rule, why.range.line], ["team", 18]);
  assert.match(why.field, /pattern/);
});

test("a ValidatingPolicy becomes a policy of the API server and comes back", () => {
  const { text } = convert({ policies: classic("?*"), noCompare: true }).policies[0];
  const [admission] = convert({ policies: text, to: "ValidatingAdmissionPolicy" }).policies;
  assert.deepEqual([admission.kind, admission.converted], ["ValidatingPolicy", true], JSON.stringify(admission.refused));
  assert.match(admission.text, /^kind: ValidatingAdmissionPolicyBinding$/m);
  assert.ok(["same", "no difference found"].includes(admission.grade), admission.grade);
  const [back] = convert({ policies: admission.text, to: "ValidatingPolicy", noCompare: true }).policies;
  assert.deepEqual([back.kind, back.converted], ["ValidatingAdmissionPolicy", true], JSON.stringify(back.refused));
  assert.match(back.text, /^apiVersion: policies\.kyverno\.io/m);
  assert.deepEqual(convert({ policies: text }).policies, [], "what is in CEL already is not converted to CEL");
  assert.throws(() => convert({ policies: text, to: "Gatekeeper" }), /unknown variant `Gatekeeper`.*ValidatingAdmissionPolicy/);
});

test("what is not a question is refused by name, and required as CommonJS all is there too", () => {
  assert.throws(() => compare({ old: "a: 1", nev: "b: 1" }), /^TypeError: input: unknown field `nev`.*did you mean `new`\?$/);
  assert.throws(() => compare({ old: "", new: "", operations: ["PATCH"] }), /`PATCH` is not an operation: CREATE, UPDATE or DELETE/);
  assert.throws(() => compare({ old: "", new: "" }, 3), /onProgress must be a function/);
  assert.throws(() => compare({ old: 1, new: "" }), /old must be YAML as a string/);
  const required = createRequire(import.meta.url)("../../engine/wasm/npm/dist/compare-node.cjs");
  assert.equal(required.compare({ old: classic("?*"), new: classic("?*") }).grade, "same");
});
