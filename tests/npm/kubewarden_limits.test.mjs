// The policy for Kubewarden under hostile requests: each has an answer, or ends, in the time that a host gives it, and the next one is whole.
// In: engine/kubewarden/dist/podsieve-policy.wasm, made by `cargo xtask policy`. Out: a failure where a request takes longer than
// policy-server waits, or more memory than MOST_BYTES; with `FIGURES=1` the time and the memory of each.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { compile, instantiate } from "./wapc.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const module = compile(readFileSync(at("engine/kubewarden/dist/podsieve-policy.wasm")));

/** policy-server ends an evaluation after so many milliseconds. It takes no request of more than 2 MB, so the largest of these never come so far. */
const MOST_TIME = 2_000;
const MOST_BYTES = 2 ** 29;

const pod = (spec, metadata = {}) => ({
  operation: "CREATE",
  kind: { group: "", version: "v1", kind: "Pod" },
  resource: { group: "", version: "v1", resource: "pods" },
  name: "web",
  namespace: "shop",
  userInfo: { username: "ann" },
  object: { apiVersion: "v1", kind: "Pod", metadata: { name: "web", ...metadata }, spec },
});
const rule = (body, more = "") => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  background: false
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Pod]}}]}${more}
    ${body}
`;
const validates = (body, more) => rule(`validate: {failureAction: Enforce, message: refused, ${body}}`, more);
const inCel = (expression) => `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: ${JSON.stringify(expression)}, message: refused}]
`;
/** Stands for so many lists in one another: JavaScript's own writer of JSON does not go so deep. */
const nested = (depth) => `nested ${depth}`;
const written = (value) => JSON.stringify(value).replace(/"nested (\d+)"/, (_, depth) => "[".repeat(depth) + "]".repeat(depth));
const many = (count, make) => Array.from({ length: count }, (_, index) => make(index));
const long = "a".repeat(1_000_000);

const images = (count) => ({ containers: many(count, (index) => ({ name: `c${index}`, image: "nginx:1" })) });
const labels = (count) => ({ labels: Object.fromEntries(many(count, (index) => [`l${index}`, "v"])) });
const pattern = "pattern: {spec: {containers: [{image: '!*:latest'}]}}";
const adds = rule("mutate: {patchStrategicMerge: {metadata: {labels: {+(team): none}}, spec: {containers: [{(name): '*', imagePullPolicy: Always}]}}}");
const wildcards = "*a*a*a*a*a*a*a*a*b";
const regex = "(a|aa|aaa)*(a*)*(a+)+b$";
const denies = (key, operator, value) => validates(`deny: {conditions: {all: [{key: ${JSON.stringify(key)}, operator: ${operator}, value: ${JSON.stringify(value)}}]}}`);
const lists = "\n    context: [{name: all, apiCall: {urlPath: /api/v1/pods, jmesPath: 'length(items)'}}]";
const answers = (operation, question) => ({
  apiVersion: "v1", kind: `${question.kind}List`,
  items: many(40_000, (index) => ({ metadata: { name: `pod-${index}`, namespace: "shop", labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "nginx:1" }] } })),
});

/** What is asked: name, policies, request, what answers, what must be said. */
const CASES = [
  ["40,000 containers (1.5 MB), a pattern", validates(pattern), pod(images(40_000)), /^accepted$/],
  ["10 MB in one string", validates(pattern), pod({ containers: [{ name: "c", image: "x".repeat(10_000_000) }] }), /^accepted$/],
  ["100,000 labels, a pattern", validates("pattern: {metadata: {labels: {team: '?*'}}}"), pod(images(1), labels(100_000)), /refused/],
  ["50,000 labels, one added", adds, pod(images(1), labels(50_000)), /^accepted$/],
  ["10,000 containers, changed", adds, pod(images(10_000)), /^accepted$/],
  ["depth 9,000", validates(pattern), pod({ deep: nested(9_000) }), /too deep|nest|deep/],
  ["depth 100", validates("pattern: {spec: {containers: '*'}}"), pod({ containers: [], deep: nested(100) }), /.*/],
  ["a wildcard with ten stars, 1 MB", validates(`pattern: {spec: {text: '${wildcards}'}}`), pod({ text: long }), /refused/],
  ["a condition with wildcards, 1 MB", denies("{{request.object.spec.text}}", "Equals", wildcards), pod({ text: long }), /.*/],
  ["regex_match, 1 MB", denies(`{{regex_match('${regex}', request.object.spec.text)}}`, "Equals", true), pod({ text: long }), /.*/],
  ["matches of CEL, 1 MB", inCel(`object.spec.text.matches('${regex}')`), pod({ text: long }), /refused|error/],
  ["a pattern given by the request", denies("{{regex_match(request.object.spec.pattern, request.object.spec.text)}}", "Equals", true), pod({ text: "a".repeat(50_000), pattern: "(((a{1,100}){1,100}){1,100})b" }), /.*/],
  ["CEL over 100,000 elements", inCel("object.spec.list.all(x, x >= 0)"), pod({ list: many(100_000, (index) => index) }), /^accepted$|cost/],
  ["CEL over their squares", inCel("object.spec.list.all(x, object.spec.list.all(y, x + y >= 0))"), pod({ list: many(100_000, (index) => index) }), /actual cost limit exceeded/],
  ["CEL that makes lists", inCel("object.spec.list.map(x, object.spec.list).size() > 0"), pod({ list: many(20_000, (index) => index) }), /^accepted$|cost/],
  ["JMESPath over 100,000 elements", denies("{{length(request.object.spec.list[?@ > `5`])}}", "LessThan", 0), pod({ list: many(100_000, (index) => index) }), /.*/],
  ["a text that makes itself longer", denies("{{replace_all(request.object.spec.text, 'a', request.object.spec.text)}}", "Equals", "x"), pod({ text: "a".repeat(20_000) }), /.*/],
  ["a regular expression of 1,000 groups", inCel("'a'.matches(object.spec.pattern)"), pod({ pattern: "(".repeat(1_000) + "a" + ")".repeat(1_000) }), /nests too deeply/],
  ["a regular expression of 1 MB", inCel("'a'.matches(object.spec.pattern)"), pod({ pattern: "a|".repeat(500_000) }), /too large/],
  ["JSON of depth 100,000 in a text", inCel("json.unmarshal(object.spec.text) != null"), pod({ text: "[".repeat(100_000) + "]".repeat(100_000) }), /nested deeper/],
  ["YAML of depth 100,000 in a text", inCel("yaml.parse(object.spec.text) != null"), pod({ text: "[".repeat(100_000) + "]".repeat(100_000) }), /nested deeper/],
  ["YAML whose aliases grow", inCel("yaml.parse(object.spec.text) != null"), pod({ text: "a: &a [1,1,1,1,1,1,1,1,1]\n" + many(8, (index) => `${"bcdefghi"[index]}: &${"bcdefghi"[index]} [${Array(9).fill(`*${"abcdefgh"[index]}`)}]\n`).join("") }), /excessive aliasing/],
  ["a list of 40,000 Pods from the host", denies("{{all}}", "GreaterThan", 10).replace(/\n    validate/, `${lists}\n    validate`), pod(images(1)), /refused/],
];

test("hostile requests are answered in bounded time and memory, and the next request is whole", () => {
  const only = process.env.ONLY;
  for (const [name, policies, request, expected] of CASES.filter(([name]) => !only || name.includes(only))) {
    const guest = instantiate(module, answers);
    const ask = (asked) => {
      try {
        const { accepted, message } = JSON.parse(guest.call("validate", written({ settings: { policies }, request: asked })));
        return accepted ? "accepted" : message;
      } catch (error) {
        return `ended: ${error.message}`;
      }
    };
    const small = pod({ containers: [{ name: "c", image: "nginx" }], text: "b", list: [1], pattern: "a" });
    const fresh = ask(small);
    const begun = performance.now();
    const said = ask(request);
    const took = performance.now() - begun;
    if (process.env.FIGURES) console.log(`${name}: ${took.toFixed(0)} ms, ${(guest.bytes() / 1e6).toFixed(0)} MB, ${said.slice(0, 160).replaceAll("\n", " ")}`);
    assert.match(said, expected, name);
    assert.ok(took < MOST_TIME, `${name} takes ${took} ms`);
    assert.ok(guest.bytes() < MOST_BYTES, `${name} takes ${guest.bytes()} bytes`);
    assert.equal(ask(small), fresh, `${name}: the next request`);
  }
});
