// What is too much for one call, and what is not JSON: told with words before it reaches the module, or instead of an answer; and
// what a call that was answered leaves behind.
// In: engine/wasm/npm/dist, made by `cargo xtask build`. Run by `cargo xtask test npm`.
import assert from "node:assert/strict";
import { test } from "node:test";

// Node has modules of its own.
const used = [];
const { Instance } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...given) {
    super(...given);
    if (this.exports.apply) used.push(this);
  }
};
const { apply, decodeShare, encodeShare, explain, jmespath } = await import("../../engine/wasm/npm/dist/node.js");

const policy = (message) =>
  `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n  - name: r\n    match: {any: [{resources: {kinds: [Pod]}}]}\n    validate: {message: ${message}, pattern: {metadata: {name: a}}}\n`;
const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: []}\n";
const judge = (text = pod, message = "wrong") => apply({ policies: policy(message), resources: text });
const MOST = 2 ** 27;

test("a text that is too long is refused before it crosses, and costs no instance", () => {
  judge();
  const [before, memory] = [used.length, used.at(-1).exports.memory.buffer.byteLength];
  const long = "#".repeat(MOST + 1);
  for (const call of [() => judge(long), () => decodeShare(long), () => jmespath(long, {})]) {
    assert.throws(call, { name: "RangeError", message: /134217729 characters|\d+ characters, podsieve takes 134217728 at most: give it less at once/ });
  }
  // Together too.
  assert.throws(() => judge(Array(9).fill("#".repeat(MOST / 8))), /the texts have \d+ characters, podsieve takes 134217728 at most/);
  // Written as JSON it is longer than a string may be.
  assert.throws(() => judge("\u0001".repeat(MOST - 1000)), { name: "RangeError", message: /input is too large to be written as JSON|input has \d+ characters/ });
  assert.deepEqual([used.length, used.at(-1).exports.memory.buffer.byteLength], [before, memory]);
});

test("what holds itself, or has no word in JSON, is told in one line", () => {
  const circle = { policies: [{ name: "p", text: policy("wrong") }] };
  circle.policies[0].more = circle;
  const inner = { input: {} };
  inner.input.input = inner;
  const list = [];
  list.push(list);
  for (const call of [() => apply(circle), () => explain(inner), () => jmespath("@", list), () => jmespath("@", 10n), () => encodeShare({ policy: 1n })]) {
    assert.throws(call, (error) => {
      assert.match(error.message, /^(input|document|state) cannot be written as JSON, as it holds itself or what JSON has no word for: [^\n]+$/);
      return error instanceof TypeError;
    });
  }
  assert.equal(judge().counts.fail, 1);
});

test("an answer that no string holds is refused with words, and the next call is answered", () => {
  // Messages are bounded together; written as JSON each of these characters is six.
  const pods = Array.from({ length: 2200 }, (_, at) => pod.replace("web", `web-${at}`)).join("---\n");
  assert.throws(() => judge(pods, `"${"\\u0001".repeat(60_000)}"`), /^Error: the answer has more than 500 MB: ask about less at once$/);
  assert.equal(judge().counts.fail, 1);
});

test("an instance that has grown beyond 512 MiB is let go once it has answered", () => {
  judge();
  const before = used.length;
  const remarks = "# a remark\n".repeat(5_500_000);
  assert.equal(judge([pod + remarks, remarks]).counts.fail, 1);
  assert.ok(used[before - 1].exports.memory.buffer.byteLength > 2 ** 29, "it has grown");
  assert.equal(used.length, before + 1);
  assert.ok(used.at(-1).exports.memory.buffer.byteLength < 2 ** 24);
  assert.equal(judge().counts.fail, 1);
  assert.equal(used.length, before + 1);
});
