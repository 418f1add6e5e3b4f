// The policy for Kubewarden, called through waPC as a host calls it.
// In: engine/kubewarden/dist/podsieve-policy.wasm, made by `cargo xtask policy`; `cargo run -p tests --bin cases -- kubewarden`, which gives
// payloads and native answers. Out: a failure where the module says something else, grows with each request, or does not come back.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { compile, instantiate } from "./wapc.mjs";

const at = (path) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const module = compile(readFileSync(at("engine/kubewarden/dist/podsieve-policy.wasm")));
const CASES = process.env.CASES ?? "1000";

const POLICY = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labels}
spec:
  rules:
  - name: team
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {failureAction: Enforce, message: The label team is required., pattern: {metadata: {labels: {team: '?*'}}}}
`;
const pod = (name, labels = {}) => ({
  operation: "CREATE",
  kind: { group: "", version: "v1", kind: "Pod" },
  resource: { group: "", version: "v1", resource: "pods" },
  name,
  namespace: "shop",
  userInfo: { username: "ann" },
  object: { apiVersion: "v1", kind: "Pod", metadata: { name, labels }, spec: { containers: [{ name: "c", image: "nginx" }] } },
});
const payload = (request, settings = { policies: POLICY }) => JSON.stringify({ settings, request });

test("what the module wants of a host is what hosts of Kubewarden have", () => {
  const wanted = WebAssembly.Module.imports(module).map(({ module, name }) => `${module}.${name}`);
  const known = /^(wapc\.__(guest_(request|response|error)|host_(call|response|response_len|error|error_len)|console_log)|wasi_snapshot_preview1\.clock_time_get)$/;
  assert.deepEqual(wanted.filter((name) => !known.test(name)), []);
});

test(`${CASES} generated payloads have the same answers here and natively`, () => {
  const command = ["run", "--quiet", "--package", "tests", "--bin", "cases", "--", "kubewarden", CASES];
  const made = spawnSync(process.env.CARGO ?? "cargo", command, { cwd: at("."), encoding: "utf8", maxBuffer: 2 ** 30 });
  assert.equal(made.status, 0, made.stderr);
  const lines = made.stdout.split("\n").filter((line) => line !== "");
  assert.equal(lines.length, Number(CASES));
  const guest = instantiate(module);
  const counts = { accepted: 0, refused: 0, mutated: 0 };
  for (const line of lines) {
    const [operation, question, native] = JSON.parse(line);
    assert.equal(guest.call(operation, question), native, question);
    const { accepted, mutated_object } = JSON.parse(native);
    counts[accepted ? "accepted" : "refused"] += 1;
    if (mutated_object) counts.mutated += 1;
  }
  // Each kind of answer was among them; few of the generated policies mutate what they are asked about.
  for (const count of Object.values(counts)) assert.ok(count > Number(CASES) / 200, JSON.stringify(counts));
});

test("10,000 requests in one instance take no more memory than a hundred", () => {
  const guest = instantiate(module);
  let after100 = 0;
  for (let number = 0; number < 10_000; number += 1) {
    const answer = JSON.parse(guest.call("validate", payload(pod(`pod-${number}`, number % 2 ? { team: "a" } : {}))));
    assert.equal(answer.accepted, number % 2 === 1);
    if (number === 100) after100 = guest.bytes();
  }
  assert.equal(guest.bytes(), after100);
});

test("a request that is too deep, too long or none at all leaves the next one whole", () => {
  const guest = instantiate(module);
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const hostile = [
    "", "{", "[]", '{"request":7}', deep, `{"settings":{},"request":{"object":${deep}}}`,
    payload(pod("x".repeat(1_000_000))),
    payload({ ...pod("many"), object: { apiVersion: "v1", kind: "Pod", metadata: {}, spec: { containers: Array(20_000).fill({ name: "c" }) } } }),
    payload(pod("a"), { policies: "a: &a [1]\nb: [" + "*a,".repeat(100_000) + "]" }),
  ];
  for (const text of hostile) {
    const begun = performance.now();
    try {
      const answer = JSON.parse(guest.call("validate", text));
      assert.equal(answer.accepted, false, text.slice(0, 100));
    } catch (error) {
      assert.ok(error instanceof Error && !(error instanceof WebAssembly.RuntimeError), `${error}: ${text.slice(0, 100)}`);
    }
    assert.ok(performance.now() - begun < 2_000, `longer than policy-server waits: ${text.slice(0, 100)}`);
    assert.equal(JSON.parse(guest.call("validate", payload(pod("web", { team: "a" })))).accepted, true);
  }
  assert.throws(() => guest.call("validate", new Uint8Array([0xff, 0xfe])), /not UTF-8/);
  assert.ok(guest.bytes() < 2 ** 28);
});

test("a trap in one request leaves the next one whole", () => {
  const guest = instantiate(module);
  const accepted = (labels) => JSON.parse(guest.call("validate", payload(pod("web", labels)))).accepted;
  assert.equal(accepted({ team: "a" }), true);
  // No memory: all that an instance may have is in use but for eight megabytes, and the request wants more.
  guest.fill(128);
  const before = guest.bytes();
  for (let time = 0; time < 3; time += 1) {
    assert.throws(() => guest.call("validate", payload(pod("x".repeat(20_000_000)))), WebAssembly.RuntimeError);
    assert.equal(accepted({}), false);
    assert.equal(accepted({ team: "a" }), true);
  }
  assert.ok(guest.bytes() >= before);
  // No stack: the host's own calls have used it up, at another place each time.
  const other = instantiate(module);
  const deep = (calls, last) => (calls === 0 ? last() : deep(calls - 1, last) + 0);
  let most = 1_000;
  const fits = (calls) => { try { deep(calls, () => 0); return true; } catch { return false; } };
  while (fits(most + 100)) most += 100;
  let ended = 0;
  for (let less = 0; less < 400; less += 20) {
    try {
      deep(most - less, () => other.call("validate", payload(pod("web"))).length);
    } catch (error) {
      assert.ok(error instanceof RangeError, error);
      ended += 1;
    }
    assert.equal(JSON.parse(other.call("validate", payload(pod("web", { team: "a" })))).accepted, true);
  }
  assert.ok(ended > 0);
});

test("a ConfigMap, a list and the labels of a namespace are asked of the host", () => {
  const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: asks}
spec:
  rules:
  - name: allowed
    match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {tier: prod}}}}]}
    context:
    - {name: settings, configMap: {name: settings, namespace: policies}}
    - {name: count, apiCall: {urlPath: '/api/v1/namespaces/{{request.namespace}}/pods', jmesPath: 'length(items)'}}
    validate:
      failureAction: Enforce
      message: 'at most {{settings.data.most}} Pods, there are {{count}}'
      deny: {conditions: {all: [{key: '{{count}}', operator: GreaterThanOrEquals, value: '{{to_number(settings.data.most)}}'}]}}
`;
  const asked = [];
  const cluster = (labels, most) => (operation, question) => {
    asked.push([operation, question.api_version, question.kind, question.namespace ?? null, question.name ?? null]);
    if (question.kind === "Namespace") return { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop", labels } };
    if (question.kind === "ConfigMap") return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { most } };
    if (operation === "list_resources_by_namespace") return { apiVersion: "v1", kind: "PodList", items: [{}, {}] };
    throw new Error("not found");
  };
  const decide = (kubernetes) => JSON.parse(instantiate(module, kubernetes).call("validate", payload(pod("web"), { policies: policy })));
  const refused = decide(cluster({ tier: "prod" }, "2"));
  assert.match(refused.message, /asks:\n  allowed: at most 2 Pods, there are 2\n$/);
  const questions = new Set(asked.map((question) => question.join(" ")));
  assert.deepEqual([...questions].sort(), [
    "get_resource v1 ConfigMap policies settings",
    "get_resource v1 Namespace  shop",
    "list_resources_by_namespace v1 Pod shop ",
  ]);
  assert.equal(decide(cluster({ tier: "prod" }, "3")).accepted, true);
  assert.equal(decide(cluster({ tier: "test" }, "2")).accepted, true);
  // What cannot be had is not let in.
  assert.match(decide(undefined).message, /^not decided: the labels of namespace shop: /);
  const noMaps = decide((operation, question) => {
    if (question.kind === "ConfigMap") throw new Error("forbidden");
    return cluster({ tier: "prod" }, "2")(operation, question);
  });
  assert.match(noMaps.message, /failed to get configmap policies\/settings : forbidden/);
});

test("a bundled module holds its policies: it is asked with no settings, and takes more", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "podsieve-bundle-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const podsieve = (...options) => {
    const command = ["run", "--quiet", "--package", "engine-cli", "--", "bundle", ...options];
    return spawnSync(process.env.CARGO ?? "cargo", command, { cwd: at("."), encoding: "utf8" });
  };
  const [policies, output] = [join(folder, "labels.yaml"), join(folder, "labels.wasm")];
  writeFileSync(policies, POLICY);
  const made = podsieve(policies, "-o", output, "--module", at("engine/kubewarden/dist/podsieve-policy.wasm"));
  assert.equal(made.status, 0, made.stderr);
  assert.match(readFileSync(join(folder, "labels.metadata.yml"), "utf8"), /executionMode: kubewarden-wapc/);
  assert.match(readFileSync(join(folder, "labels.README.md"), "utf8"), /kwctl annotate .*ClusterPolicy `labels`|ClusterPolicy `labels`[^]*kwctl annotate/);
  const bundled = compile(readFileSync(output));
  const ask = (guest, request, settings) => JSON.parse(guest.call("validate", payload(request, settings)));
  // Each request may meet an instance of its own, and the answers are those of the policies as settings.
  const settled = instantiate(module);
  for (const request of [pod("web"), pod("web", { team: "a" })]) {
    assert.deepEqual(ask(instantiate(bundled), request, {}), ask(settled, request, { policies: POLICY }));
  }
  const guest = instantiate(bundled);
  const more = { policies: POLICY.replaceAll("team", "owner").replace("name: labels", "name: more") };
  assert.equal(ask(guest, pod("web", { team: "a" }), {}).accepted, true);
  assert.match(ask(guest, pod("web", { team: "a" }), more).message, /more:\n  owner: /);
  assert.equal(ask(guest, pod("web"), { action: "Audit" }).accepted, true);
  assert.equal(ask(guest, pod("web"), {}).accepted, false);
  assert.deepEqual(JSON.parse(guest.call("validate_settings", "{}")), { valid: true });
  assert.equal(JSON.parse(guest.call("validate_settings", '{"policies":[7]}')).valid, false);
  writeFileSync(join(folder, "pod.json"), JSON.stringify({ request: pod("web") }));
  const checked = podsieve("--check", output, join(folder, "pod.json"));
  assert.equal(checked.status, 1, checked.stderr);
  assert.match(checked.stdout, /CREATE Pod\/shop\/web: refused: resource Pod\/shop\/web was blocked/);
  // What is wrong has its line.
  writeFileSync(policies, POLICY.replace("pattern:", "patern:"));
  const refused = podsieve(policies, "-o", output, "--module", at("engine/kubewarden/dist/podsieve-policy.wasm"));
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /policies\[0\]:9:\d+: /);
});
