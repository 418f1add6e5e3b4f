// What happens when the module's memory is exhausted: the call throws an error with words, and the next call works.
// In: engine/wasm/npm/dist, made by `cargo xtask build`; each way into the package, in a process of its own. Run by
// `cargo xtask test npm`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const dist = new URL("../../engine/wasm/npm/dist/", import.meta.url);

/** Each way in: what gives the functions, ready to be called. */
const WAYS = {
  "import in Node": 'await import(dist + "node.js")',
  "require in Node": 'createRequire(dist)("./node.cjs")',
  "import of podsieve/tools in Node": 'await import(dist + "tools-node.js")',
  "require of podsieve/tools in Node": 'createRequire(dist)("./tools-node.cjs")',
  "what browsers get": 'await loaded("index.js", "engine_bg.wasm")',
  "what browsers get of podsieve/tools": 'await loaded("tools.js", "whole_bg.wasm")',
};

/** Takes all memory that WebAssembly has from the instance that is in use; no call but a small one is answered then. */
const program = (way) => `
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const dist = ${JSON.stringify(dist.href)};
const used = [];
// Node has modules of its own.
const use = (instance) => instance.exports.apply && used.push(instance);
const { Instance, instantiate } = WebAssembly;
WebAssembly.Instance = class extends Instance {
  constructor(...given) {
    super(...given);
    use(this);
  }
};
WebAssembly.instantiate = async (...given) => {
  const made = await instantiate(...given);
  use(made.instance ?? made);
  return made;
};
const loaded = async (name, wasm) => {
  const module = await import(dist + name);
  await module.init(readFileSync(new URL(dist + wasm)));
  return module;
};
const { apply, jmespath } = ${way};

const policy = "apiVersion: kyverno.io/v1\\nkind: ClusterPolicy\\nmetadata: {name: p}\\nspec:\\n  rules:\\n  - name: r\\n" +
  "    match: {any: [{resources: {kinds: [Pod]}}]}\\n    validate: {pattern: {metadata: {name: '?*'}}}\\n";
const pod = "apiVersion: v1\\nkind: Pod\\nmetadata: {name: web}\\nspec: {containers: []}\\n";
const judge = (comments) => {
  const text = pod + "# a comment\\n".repeat(comments);
  try {
    return apply({ policies: [{ name: "p", text: policy }], resources: [{ name: "r", text }] }).counts.pass;
  } catch (error) {
    return { isError: error instanceof Error, message: error.message, trap: error.cause instanceof WebAssembly.RuntimeError };
  }
};
const exhaust = () => {
  const { memory } = used.at(-1).exports;
  for (let pages = 65_536; pages >= 1; pages /= 2) {
    try {
      for (;;) memory.grow(pages);
    } catch {
      // No more of that size.
    }
  }
};
const first = judge(0);
// The second needs more than the answer to the first has left behind.
const told = [100_000, 1_000_000].map((comments) => {
  exhaust();
  return [judge(comments), judge(comments)];
});
let wrong;
try {
  jmespath("a[", {});
} catch (error) {
  wrong = error.message;
}
console.log(JSON.stringify({ first, told, wrong, instances: used.length }));
`;

for (const [name, way] of Object.entries(WAYS)) {
  test(`${name}: a call that exhausts the memory says so, and the next is answered`, () => {
    const arguments_ = ["--input-type=module", "--eval", program(way)];
    const { first, told, wrong, instances } = JSON.parse(
      execFileSync(process.execPath, arguments_, { cwd: fileURLToPath(dist), encoding: "utf8", maxBuffer: 1e8 }),
    );
    assert.equal(first, 1);
    for (const [error, next] of told) {
      assert.ok(error.isError && error.trap, JSON.stringify(error));
      assert.match(error.message, /^podsieve stopped within apply\(\), most likely as its memory is exhausted \(.+\): give it less at once/);
      assert.equal(next, 1);
    }
    // A mistake of the caller is told as it was, and costs no instance.
    assert.match(wrong, /SyntaxError/);
    assert.equal(instances, 3);
  });
}
