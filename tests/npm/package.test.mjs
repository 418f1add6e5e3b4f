// The npm package as its users get it: packed, installed into an empty folder, imported, required, type-checked.
// In: engine/wasm/npm/dist, made by `cargo xtask build`. Run by `cargo xtask test npm`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const dist = join(here, "../../engine/wasm/npm/dist");
const policy = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: labels
spec:
  rules:
    - name: team
      match:
        any:
          - resources:
              kinds: [Pod]
      validate:
        message: The label team is required.
        pattern:
          metadata:
            labels:
              team: "?*"
`;
const pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: web\n      image: web:1\n";

let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "podsieve-npm-"));
  const packed = JSON.parse(execFileSync("npm", ["pack", "--json", "--pack-destination", folder], { cwd: dist, encoding: "utf8" }));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  const tarball = (Array.isArray(packed) ? packed : Object.values(packed))[0].filename;
  const options = ["--offline", "--no-audit", "--no-fund", "--no-save"];
  execFileSync("npm", ["install", ...options, join(folder, tarball)], { cwd: folder, stdio: "pipe" });
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a program in the user's folder and returns what it prints, as JSON. */
function run(name, source) {
  writeFileSync(join(folder, name), source);
  return JSON.parse(execFileSync("node", [name], { cwd: folder, encoding: "utf8" }));
}

const judge = `
const output = apply(${JSON.stringify({ policies: [{ name: "p", text: policy }], resources: [{ name: "r", text: pod }] })});
console.log(JSON.stringify(output));`;

test("import works in Node at once, and the verdict is Kyverno's", () => {
  const output = run("user.mjs", `import { apply } from "podsieve";${judge}`);
  const [result] = output.results;
  assert.equal(result.resource.name, "web");
  assert.equal(result.rules[0].status, "fail");
  assert.equal(result.rules[0].message, "validation error: The label team is required. rule team failed at path /metadata/labels/");
  assert.deepEqual(output.counts, { pass: 0, fail: 1, warn: 0, error: 0, skip: 0, undecided: 0 });
  assert.equal(output.complete, true);
});

test("what no API server would take is named with what was meant", () => {
  const [resources, patterns] = run(
    "check.mjs",
    `import { checkResources } from "podsieve/tools";
     const told = (input) => checkResources(input).diagnostics.map(({ message, hints, range }) => [message, hints?.[0], range.line]);
     const [policies, pod] = ${JSON.stringify([policy.replace("metadata:\n            labels:", "labels:\n            labels:"), pod])};
     console.log(JSON.stringify([told({ resources: pod.replace("containers", "contaners") }), told({ policies })]));`,
  );
  assert.deepEqual(resources, [["a Pod has no field `spec.contaners`: an API server refuses or drops it", "did you mean `containers`?", 6]]);
  assert.deepEqual(patterns, [["the pattern asks for `labels`, which a Pod cannot have at this place", "did you mean `metadata.labels`?", 15]]);
});

test("what is not evaluated or cannot be read is never a pass: complete is false, and undecided counts it", () => {
  const notYet = "apiVersion: policies.kyverno.io/v1\nkind: ImageValidatingPolicy\nmetadata: { name: signed }\n";
  const answers = run(
    "complete.mjs",
    `import { apply, explain, psa } from "podsieve";
     import * as classic from "podsieve/classic";
     import { report } from "podsieve/tools";
     const [policies, resources, notYet] = ${JSON.stringify([policy, pod, notYet])};
     const broken = resources + "---\\nkind: [";
     const of = ({ complete, counts }) => [complete, counts.fail, counts.undecided];
     console.log(JSON.stringify({
       applied: [of(apply({ policies, resources })), of(classic.apply({ policies: notYet, resources })), of(apply({ policies, resources: broken }))],
       explained: [explain({ input: { policies, resources } }).complete, classic.explain({ input: { policies: notYet, resources } }).complete],
       psa: [psa({ resources }).complete, psa({ resources: broken }).complete],
       reports: [report({ input: { policies, resources } }), report({ input: { policies, resources: broken } })],
     }));`,
  );
  assert.deepEqual(answers.applied, [[true, 1, 0], [false, 0, 1], [false, 1, 1]]);
  assert.deepEqual(answers.explained, [true, false]);
  assert.deepEqual(answers.psa, [true, false]);
  assert.deepEqual(answers.reports.map(({ complete }) => complete), [true, false]);
  assert.match(answers.reports[0].text, /^kind|^apiVersion/);
  assert.match(answers.reports[1].text, /^# Not complete: /);
});

test("the main entry evaluates policies of images over what is known of them", () => {
  const images = `
apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: { name: signed }
spec:
  validationConfigurations: { verifyDigest: false, mutateDigest: false }
  matchConstraints: { resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }] }
  matchImageReferences: [{ glob: "*" }]
  attestors: [{ name: us, cosign: { keyless: { identities: [{ issuer: https://issuer.example, subject: us@example.com }] } } }]
  validations: [{ expression: "images.containers.all(image, verifyImageSignatures(image, [attestors.us]) > 0)", message: not signed by us }]
`;
  const signer = (subject) => `nginx:1.29: { signedBy: [{ issuer: https://issuer.example, subject: ${subject} }] }\n`;
  const applied = (subject) => `apply({ policies, resources, imageData: ${JSON.stringify(signer(subject))} })`;
  const [ours, theirs, unknown] = run(
    "images.mjs",
    `import { apply } from "podsieve";
     const [policies, resources] = ${JSON.stringify([images, pod.replace("web:1", "nginx:1.29")])};
     const of = ({ complete, results }) => [complete, results[0].rules[0].type, results[0].rules[0].status, results[0].rules[0].message];
     console.log(JSON.stringify([${applied("us@example.com")}, ${applied("them@example.com")}, apply({ policies, resources })].map(of)));`,
  );
  assert.deepEqual(ours.slice(0, 3), [true, "ImageVerify", "pass"]);
  assert.deepEqual(theirs, [true, "ImageVerify", "fail", "not signed by us"]);
  assert.equal(unknown[2], "error");
});

test("explain names the field that decided and an edit after which the rule passes", () => {
  const input = { input: { policies: [{ name: "p", text: policy }], resources: [{ name: "r", text: pod }] } };
  const output = run("explain.mjs", `import { explain } from "podsieve";console.log(JSON.stringify(explain(${JSON.stringify(input)})));`);
  const [explanation] = output.explanations;
  assert.equal(explanation.verdict, "fail");
  assert.equal(explanation.sentence, "fails because metadata.labels is absent, the pattern wants `{\"team\":\"?*\"}`");
  assert.deepEqual(explanation.edits.map(({ path, after }) => [path, after]), [["metadata.labels", '{"team":"example"}']]);
  // Where the map begins that lacks it.
  assert.equal(explanation.edits[0].range.line, 4);
});

const inCel = `apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: team }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }]
  validations:
    - expression: "'team' in object.metadata.?labels.orValue({})"
      message: The label team is required.
`;

test("a policy in CEL is evaluated by every entry but the small one, which names it", () => {
  const answers = run(
    "cel.mjs",
    `import * as main from "podsieve";
     import * as classic from "podsieve/classic";
     import * as tools from "podsieve/tools";
     const input = { policies: ${JSON.stringify(inCel)}, resources: ${JSON.stringify(pod)} };
     const ruled = ${JSON.stringify(policy)};
     console.log(JSON.stringify([main, tools, classic].map((entry) => [entry.apply(input), entry.apply({ ...input, policies: ruled })])));`,
  );
  const [main, tools, classic] = answers;
  for (const [output] of [main, tools]) {
    assert.deepEqual([output.complete, output.counts.fail, output.counts.undecided], [true, 1, 0]);
    assert.equal(output.results[0].rules[0].message, "The label team is required.");
  }
  assert.deepEqual([classic[0].complete, classic[0].counts.fail, classic[0].counts.undecided], [false, 0, 1]);
  assert.match(classic[0].diagnostics[0].message, /`ValidatingPolicy`/);
  for (const [, output] of answers) assert.equal(output.counts.fail, 1);
});

test("policies in CEL that change and make things are evaluated by every entry but the small one; payloads and parameters have inputs of their own", () => {
  const constraints = 'matchConstraints: { resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }] }';
  const head = (kind, api = "policies.kyverno.io/v1") => `apiVersion: ${api}\nkind: ${kind}\nmetadata: { name: team }\nspec:\n`;
  const mutating = `${head("MutatingPolicy")}  ${constraints}
  mutations: [{ patchType: ApplyConfiguration, applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"team": "shop"}}}' } }]
`;
  const generating = `${head("GeneratingPolicy")}  ${constraints}
  generate: [{ template: { value: "{apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: shop}}" } }]
`;
  const ofJson = `${head("ValidatingPolicy")}  evaluation: { mode: JSON }
  validations: [{ expression: object.open == false, message: It is closed. }]
`;
  const limited = `${head("ValidatingAdmissionPolicy", "admissionregistration.k8s.io/v1")}  paramKind: { apiVersion: v1, kind: ConfigMap }
  ${constraints}
  validations: [{ expression: size(object.spec.containers) <= int(params.data.most), message: There are too many. }]
---
${head("ValidatingAdmissionPolicyBinding", "admissionregistration.k8s.io/v1")}  { policyName: team, validationActions: [Deny], paramRef: { name: limits, namespace: shop } }
`;
  const limits = (most) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: limits, namespace: shop}, data: {most: "${most}"}}`;
  const inputs = [
    { policies: mutating, resources: pod },
    { policies: generating, resources: pod },
    { policies: ofJson, payloads: '{"open": true}' },
    { policies: limited, resources: pod, parameters: limits(0) },
    { policies: limited, resources: pod, parameters: limits(1) },
  ];
  const answers = run(
    "changing.mjs",
    `import * as main from "podsieve";
     import * as classic from "podsieve/classic";
     import * as tools from "podsieve/tools";
     console.log(JSON.stringify([main, tools, classic].map((entry) => ${JSON.stringify(inputs)}.map((input) => entry.apply(input)))));`,
  );
  for (const outputs of answers.slice(0, 2)) {
    for (const { complete } of outputs) assert.equal(complete, true);
    const [mutated, generated, payload, over, under] = outputs.map(({ results: [result] }) => result);
    assert.match(mutated.patched, /team: shop/);
    assert.match(generated.rules[0].generated[0], /name: made/);
    assert.deepEqual([payload.rules[0].status, payload.rules[0].message], ["fail", "It is closed."]);
    assert.deepEqual([over.rules[0].status, over.rules[0].message, under.rules[0].status], ["fail", "There are too many.", "pass"]);
  }
  // A binding is a document of its own.
  assert.deepEqual(answers[2].map(({ counts }) => counts.undecided), [1, 1, 1, 2, 2]);
  for (const { complete } of answers[2]) assert.equal(complete, false);
});

test("an expression of CEL has its value, its type and its cost, or words with line and column, in every entry but the small one", () => {
  const source = `
     const object = { spec: { containers: [{ image: "web:1" }, { image: "db:2" }] } };
     const images = "object.spec.containers.map(c, c.image)";
     const refusal = (input) => { try { cel(input); } catch (error) { return [error.name, error.message]; } };
     console.log(JSON.stringify({
       over: [cel({ expression: images, object }), cel({ expression: "size(names) > limit", variables: { names: ["a"], limit: 2 } })],
       failed: cel({ expression: "object.nope == 1", object }),
       wrong: cel({ expression: "object.spec.all(c,\\n  c.nam() && 1)", object }),
       kinds: ["MutatingPolicy", "ValidatingPolicy"].map((kind) => cel({ expression: "jsonpatch.escapeKey('a/b')", kind }).value ?? null),
       refusals: [refusal(), refusal({}), refusal({ expression: 1 }), refusal({ expression: "1", kind: "Pod" }), refusal({ expression: "1", objects: {} }),
         refusal({ expression: "1", variables: { "a-b": 1 } })],
     }));`;
  const first = `import { cel } from "podsieve";${source}`;
  const answers = [
    run("cel-main.mjs", first),
    run("cel-tools.mjs", first.replace('"podsieve"', '"podsieve/tools"')),
    run("cel-own.mjs", first.replace('"podsieve"', '"podsieve/cel"')),
    run("cel-own.cjs", `const { cel } = require("podsieve/cel");${source}`),
    run("cel-browser.mjs", `import { readFileSync } from "node:fs"; import init, { cel } from "./node_modules/podsieve/cel.js";
      await init(readFileSync("node_modules/podsieve/expressions_bg.wasm"));${source}`),
  ];
  for (const other of answers) assert.deepEqual(other, answers[0]);
  const [{ over, failed, wrong, kinds, refusals }] = answers;
  assert.deepEqual(over.map(({ type, value, error }) => [type, value, error]), [["list(dyn)", ["web:1", "db:2"], undefined], ["bool", false, undefined]]);
  assert.ok(over.every(({ cost }) => cost > 0));
  assert.deepEqual([failed.type, failed.error, "value" in failed], ["bool", "no such key: nope", false]);
  assert.deepEqual(wrong.problems.map(({ line, column }) => [line, column]), [[2, 8], [2, 14]]);
  assert.match(wrong.error, /^ERROR: <input>:2:8: undeclared reference to 'nam'[^]*\n \| \.{7}\^/);
  assert.deepEqual(kinds, ["a~1b", null]);
  assert.ok(refusals.every(([name]) => name === "TypeError"), JSON.stringify(refusals));
  assert.match(refusals[3][1], /^input: kind must be one of ValidatingPolicy, /);
  assert.match(refusals[4][1], /^input: unknown field `objects`, .*; did you mean `object`\?$/);
});

test("the functions of CEL are listed with examples, each of which holds", () => {
  const [names, wrong, small] = run(
    "cel-functions.mjs",
    `import { cel, functions } from "podsieve/cel";
     import * as classic from "podsieve/classic";
     const rows = functions();
     const of = ({ expression, value }) => [expression, JSON.stringify(cel({ expression, kind: "MutatingPolicy" }).value), JSON.stringify(JSON.parse(value))];
     console.log(JSON.stringify([rows.map(({ name }) => name), rows.flatMap(({ examples }) => examples).map(of).filter(([, here, said]) => here !== said), "cel" in classic]));`,
  );
  for (const name of ["matches", "quantity", "image", "jsonpatch.escapeKey", "listObjToMap"]) assert.ok(names.includes(name), name);
  // The clock goes on here, and stands still in the examples; and one function costs more than a policy may spend.
  assert.deepEqual(wrong.filter(([expression]) => !/time\.now|json\.encode/.test(expression)), []);
  assert.equal(small, false);
});

test("whole numbers are integers in a cluster, and doubles in the Kyverno CLI", () => {
  const policies = inCel.replace(/expression: .*/, 'expression: "object.spec.activeDeadlineSeconds % 2 == 0"');
  const counts = run(
    "host.mjs",
    `import { apply } from "podsieve";
     const input = { policies: ${JSON.stringify(policies)}, resources: ${JSON.stringify(`${pod}  activeDeadlineSeconds: 4\n`)} };
     console.log(JSON.stringify(["cli", "cluster"].map((host) => apply({ ...input, host }).counts)));`,
  );
  assert.deepEqual(counts.map(({ pass, fail, error }) => [pass, fail + error]), [[0, 1], [1, 0]]);
});

test("require gives the same", () => {
  const imported = run("user.mjs", `import { apply } from "podsieve";${judge}`);
  const required = run("user.cjs", `const { apply } = require("podsieve");${judge}`);
  assert.deepEqual(required, imported);
});

test("what browsers get works over the same module", () => {
  const output = run(
    "browser.mjs",
    `import { readFileSync } from "node:fs";
     import init, { apply } from "./node_modules/podsieve/index.js";
     await init(readFileSync("node_modules/podsieve/engine_bg.wasm"));${judge}`,
  );
  assert.equal(output.counts.fail, 1);
});

test("what is asked before the module is loaded is told what comes first", () => {
  const message = run(
    "early.mjs",
    `import { version } from "./node_modules/podsieve/index.js";
     try { version(); } catch (error) { console.log(JSON.stringify(error.message)); }`,
  );
  assert.equal(message, "podsieve is not loaded yet: `await init()` comes first");
});

test("links go there and back, expressions are evaluated, versions are told", () => {
  const answers = run(
    "others.mjs",
    `import init, { decodeShare, encodeShare, functions, jmespath, version } from "podsieve";
     await init();
     const state = { policy: "kind: ClusterPolicy\\n", resource: "kind: Pod\\n# ü😀\\n", oldResource: "" };
     const text = encodeShare(state);
     const back = decodeShare("https://playground.kyverno.io/#/?content=" + encodeURIComponent(text));
     console.log(JSON.stringify({ state, text, back, found: jmespath("a[?b].c", { a: [{ b: true, c: 1 }, { b: false, c: 2 }] }),
       own: jmespath("to_upper(name)", { name: "web" }), now: jmespath("time_now_utc()", {}), version: version(),
       functions: functions(), wrong: functions().flatMap((row) => row.examples)
         .filter((example) => JSON.stringify(jmespath(example.expression, null)) !== JSON.stringify(JSON.parse(example.value))).map((example) => example.expression) }));`,
  );
  assert.match(answers.text, /^N4IgDg9gNglgxgTxALhA/);
  assert.deepEqual(answers.back.state, answers.state);
  assert.equal(answers.back.complete, true);
  assert.deepEqual(answers.found, [1]);
  assert.equal(answers.own, "WEB");
  assert.ok(Math.abs(Date.parse(answers.now) - Date.now()) < 60_000, answers.now);
  assert.match(answers.version.kyverno, /^1\.19\./);
  assert.equal(answers.functions.find((row) => row.name === "to_upper").signature, "to_upper(string) string");
  assert.ok(answers.functions.every((row) => row.doc !== "" && row.examples.length > 0));
  // The clock goes on here, and stands still in the examples.
  assert.deepEqual(answers.wrong, ["time_now()", "time_now_utc()"]);
});

test("a Pod is evaluated by every check of the Pod Security Standards, with lines and with the versions that matter", () => {
  const resource = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: team }
spec:
  template:
    spec:
      hostPID: true
      securityContext:
        sysctls: [{ name: net.ipv4.tcp_rmem, value: "1" }]
      containers: [{ name: web, image: "web:1" }]
---
apiVersion: v1
kind: Namespace
metadata: { name: team, labels: { pod-security.kubernetes.io/enforce: baseline } }
`;
  const output = run(
    "psa.mjs",
    `import { psa } from "podsieve";
     console.log(JSON.stringify(psa({ resources: [{ name: "web.yaml", text: ${JSON.stringify(resource)} }] })));`,
  );
  assert.equal(output.effective, "v1.37");
  const [object] = output.objects;
  assert.equal(object.reaches, "privileged");
  assert.deepEqual(object.levels[0], { level: "baseline", allowed: false, detail: "host namespaces (hostPID=true)" });
  const check = object.checks.find((check) => check.id === "hostNamespaces");
  assert.equal(check.baseline, "fail");
  assert.equal(check.findings[0].path, "spec.template.spec.hostPID");
  assert.equal(check.findings[0].range.line, 7);
  assert.deepEqual(object.strip, [{ from: "v1.0", to: "v1.37", baseline: false, restricted: false }]);
  assert.deepEqual(object.admission.warnings, ['would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)']);
  assert.equal(output.namespaces[0].enforce, "baseline:latest");
});

test("a Pod is shown as it arrives after injection, with the lines that are the mesh's", () => {
  const resource = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: team }
spec:
  template:
    spec:
      securityContext: { runAsNonRoot: true, seccompProfile: { type: RuntimeDefault } }
      containers:
        - name: web
          image: "web:1"
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: [ALL] } }
`;
  const output = run(
    "mesh.mjs",
    `import { readFileSync } from "node:fs";
     import { createRequire } from "node:module";
     import { mesh } from "podsieve/tools";
     const data = createRequire(import.meta.url)("podsieve/mesh.json");
     const ask = (asked) => mesh({ resources: [{ name: "web.yaml", text: ${JSON.stringify(resource)} }], mesh: asked }, data);
     console.log(JSON.stringify([ask("istio@1.24"), ask("istio@1.24,cni"), ask("istio@1.24,no-such"), ask("")]));`,
  );
  const [init, cni, wrong, none] = output;
  const [object] = init.objects;
  assert.equal(object.outcome, "injected");
  assert.deepEqual([object.before, object.after], ["restricted", "privileged"]);
  assert.match(object.gap, /takes the Deployment and refuses its Pods/);
  const added = object.added.find((one) => one.what === "container istio-init");
  assert.equal(added.path, "spec.initContainers[0]");
  assert.match(object.pod.split("\n").slice(added.range.line - 1, added.range.endLine).join("\n"), /name: istio-init[^]*NET_ADMIN/);
  assert.deepEqual([cni.objects[0].after, cni.objects[0].gap], ["restricted", undefined]);
  assert.match(wrong.diagnostics[0].message, /`no-such` is not an option of istio 1\.24\.6: cni, native, /);
  assert.deepEqual([wrong.objects.length, none.objects.length], [0, 0]);
  assert.ok(none.releases.length >= 16);
});

test("the package says where it comes from, and a registry is not promised what only a CI job can prove", () => {
  const about = JSON.parse(readFileSync(join(dist, "package.json"), "utf8"));
  const [, sources] = /^repository = "(https:.*)"$/m.exec(readFileSync(join(here, "../../Cargo.toml"), "utf8"));
  assert.deepEqual([about.homepage, about.repository.url, about.bugs.url], [sources, `git+${sources}.git`, `${sources}/issues`]);
  assert.equal(about.publishConfig.provenance, undefined);
  assert.match(readFileSync(join(dist, "README.md"), "utf8"), /npm install podsieve/);
});

test("what cannot be read is an error with words", () => {
  const messages = run(
    "errors.mjs",
    `import { apply, decodeShare, jmespath, psa } from "podsieve";
     const message = (work) => { try { work(); } catch (error) { return error instanceof Error ? error.message : "no Error"; } };
     console.log(JSON.stringify([
       message(() => apply({ polices: [] })),
       message(() => decodeShare("%%%")),
       message(() => jmespath("a[", {})),
       message(() => jmespath("a")),
       message(() => decodeShare(5)),
       message(() => apply()),
       message(() => apply({ trace: "yes" })),
       message(() => apply({ policies: [{ name: 7, text: "" }] })),
       message(() => psa({ namespaceLabels: { team: 5 } })),
     ]));`,
  );
  // Columns of a text that the caller has never seen help nobody.
  for (const message of messages) assert.doesNotMatch(message, /at line \d|column \d/);
  assert.deepEqual(messages.slice(3, 8), [
    "document is missing", "text must be a string, this is number", "input is missing", "trace must be true or false",
    "the name of policies must be a string, this is number",
  ]);
  assert.match(messages[0], /^input: .*polices/);
  for (const message of messages) assert.ok(message && message !== "no Error", JSON.stringify(messages));
});

test("a program in TypeScript is accepted, a wrong one is not", () => {
  cpSync(join(here, "sample.ts"), join(folder, "sample.ts"));
  const tsc = join(here, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--lib", "es2022,dom", "sample.ts"];
  const checked = (() => {
    try {
      return execFileSync("node", [tsc, ...options], { cwd: folder, encoding: "utf8", stdio: "pipe" });
    } catch (error) {
      return error.stdout || String(error);
    }
  })();
  assert.equal(checked, "");
});

test("an exemption that anybody can imitate is attacked, and the change that shuts the attacker out is named", () => {
  const policy = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: pss }
spec:
  rules:
    - name: baseline
      match: { any: [{ resources: { kinds: [Pod] } }] }
      validate:
        podSecurity:
          level: baseline
          exclude: [{ controlName: Capabilities, images: ["*/istio/proxyv2*"] }]
`;
  const output = run(
    "sieve.mjs",
    `import { sieve } from "podsieve/tools";
     console.log(JSON.stringify(sieve({ input: { policies: [{ name: "p.yaml", text: ${JSON.stringify(policy)} }] } })));`,
  );
  const [exemption] = output.exemptions;
  assert.equal(exemption.kind, "podSecurity");
  assert.equal(exemption.range.line, 11);
  assert.equal(exemption.legitimate[0].made, true);
  const attack = exemption.attacks.find(({ family }) => family === "registry");
  assert.match(attack.text, /evil\.example\/istio\/proxyv2/);
  assert.match(attack.refusal, /Forbidden reason: non-default capabilities/);
  assert.equal(attack.tightening.text, "write `docker.io/istio/proxyv2:*` for `*/istio/proxyv2*`");
  assert.ok(exemption.attacks.some(({ family, text }) => family === "position" && text.endsWith("containers[]")));
});

test("a document is changed with its comments left alone, and an expression has its value where it stands", () => {
  const policy = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: p }
spec:
  rules:
    - name: r
      match: { any: [{ resources: { kinds: [Pod] } }] }
      validate: { message: "{{ request.object.metadata.name }}", deny: {} }
`;
  const pod = "apiVersion: v1 # one\nkind: Pod\nmetadata: {name: web}\nspec: {containers: []}\n";
  const [text, values] = run(
    "rewrite.mjs",
    `import { evaluate, rewrite } from "podsieve/tools";
     const [policy, pod] = ${JSON.stringify([policy, pod])};
     const edits = [{ path: "kind", after: '"Service"' }];
     const input = { policies: [{ name: "p.yaml", text: policy }], resources: [{ name: "r.yaml", text: pod }] };
     const at = policy.indexOf("request");
     const { values } = evaluate({ input, at, expression: "request.object.metadata.name" });
     console.log(JSON.stringify([rewrite({ text: pod, at: 0, edits }).text, values]));`,
  );
  assert.equal(text, pod.replace("kind: Pod", "kind: Service"));
  assert.deepEqual(values.at(-1), { expression: "request.object.metadata.name", value: '"web"' });
});

test("YAML as it is does for a text, and what is not a text is told by name", () => {
  const [plain, named, wrong, unknown] = run(
    "plain.mjs",
    `import { apply, sieve } from "podsieve/tools";
     const [policies, pod] = ${JSON.stringify([policy, pod])};
     const ranges = (resources) => apply({ policies, resources }).results.map(({ resource, rules }) => [resource.name, rules[0].status, rules[0].resourceRanges[0].name]);
     const refusal = (call) => { try { call(); } catch (error) { return [error.name, error.message]; } };
     console.log(JSON.stringify([
       [ranges(pod), ranges([pod, pod.replace("web", "two")])],
       ranges([{ name: "pod.yaml", text: pod + "# \\ud83d" }, pod.replace("web", "two")]),
       [refusal(() => apply({ policies: 7 })), refusal(() => apply({ resources: [pod, {}] })), refusal(() => apply([policies])), refusal(() => sieve({ input: { policies: [null] } })),
        refusal(() => apply(new Map())), refusal(() => apply({ host: "Playground" })), apply({ policies, resources: pod, values: null }).counts.fail],
       [refusal(() => apply({ policy: policies })), refusal(() => sieve({ policies })), refusal(() => apply({ verbose: true })),
        refusal(() => apply({ policies: Buffer.from("a") })), apply({ policies: "./latest.yaml" }).diagnostics.map(({ hints }) => hints?.[0])],
     ]));`,
  );
  assert.deepEqual(plain, [
    [["web", "fail", "resources"]],
    [["web", "fail", "resources 1"], ["two", "fail", "resources 2"]],
  ]);
  assert.deepEqual(named, [["web", "fail", "pod.yaml"], ["two", "fail", "resources 2"]]);
  const text = (name) => ["TypeError", `${name} must be YAML as a string, or { name, text } with such a string`];
  const noFields = ["TypeError", "input must be an object with fields"];
  const noHost = ["TypeError", "host must be one of cli, playground, cluster"];
  assert.deepEqual(wrong, [text("policies"), text("resources 2"), noFields, text("policies"), noFields, noHost, 1]);
  assert.deepEqual(unknown.pop(), ["this looks like the path of a file: give the text that is in it"]);
  assert.match(unknown.pop()[1], /^policies must be YAML as a string, .*; these are bytes: /);
  assert.deepEqual(unknown.map(([name]) => name), ["TypeError", "TypeError", "TypeError"]);
  const [misspelt, other, nothingNear] = unknown.map(([, message]) => message);
  assert.match(misspelt, /^input: unknown field `policy`, expected one of .*; did you mean `policies`\?$/);
  assert.match(other, /^input: unknown field `policies`, expected one of .*`input`/);
  for (const message of [other, nothingNear]) assert.doesNotMatch(message, /did you mean/);
});

test("the declared fields are those of the engine", () => {
  const folder = join(here, "../../engine/lenses/src/wire");
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
  const wire = structs(files.join("\n"));
  const declared = interfaces(readFileSync(join(here, "../../engine/wasm/npm/index.d.ts"), "utf8"));
  assert.ok(Object.keys(wire).length >= 10);
  // What the page alone asks.
  for (const own of ["Changes", "ChangesInput"]) delete wire[own];
  for (const [name, fields] of Object.entries(wire)) assert.deepEqual(declared[name], fields, `interface ${name}`);
});

/** Names of the public fields of each struct, as they stand in JSON; `?` where a field may be absent. */
function structs(rust) {
  const found = {};
  for (const [, name, body] of rust.matchAll(/pub struct (\w+) \{\n([\s\S]*?)\n\}/g)) {
    found[name] = [...body.matchAll(/((?:\s*#\[serde[^\n]*\n)*)\s*pub (\w+): ([^\n]*),\n?/g)].map(([, attributes, field]) => {
      const renamed = /rename = "(\w+)"/.exec(attributes)?.[1];
      const camel = renamed ?? field.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
      const absent = name.endsWith("Input") || attributes.includes("skip_serializing_if");
      return camel + (absent ? "?" : "");
    });
  }
  return found;
}

/** The same of the interfaces. */
function interfaces(types) {
  const found = {};
  for (const [, name, body] of types.matchAll(/export interface (\w+) \{\n([\s\S]*?)\n\}/g)) {
    found[name] = [...body.matchAll(/^ {2}(\w+\??):/gm)].map(([, field]) => field);
  }
  return found;
}
