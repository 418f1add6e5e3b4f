// WebAssembly says what a native build says, byte for byte, on generated policies and resources.
// In: `cargo run -p tests --bin cases`, which gives inputs and the native answers. Out: a failure that shows the first
// input on which the two differ. The module is asked below `api.js`, so that its own text is compared.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import "../../engine/wasm/npm/dist/node.js";
import { apply } from "../../engine/wasm/npm/dist/engine.js";

const CASES = process.env.CASES ?? "2000";

test(`${CASES} generated cases have the same answers here and natively`, () => {
  const command = ["run", "--quiet", "--package", "tests", "--bin", "cases", "--", CASES];
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const made = spawnSync(process.env.CARGO ?? "cargo", command, { cwd, encoding: "utf8", maxBuffer: 2 ** 30 });
  assert.equal(made.status, 0, made.stderr);
  const lines = made.stdout.split("\n").filter((line) => line !== "");
  assert.equal(lines.length, Number(CASES));
  let verdicts = 0;
  for (const line of lines) {
    const [input, native] = JSON.parse(line);
    const here = apply(JSON.stringify(input));
    if (here !== native) assert.deepEqual(JSON.parse(here), JSON.parse(native), JSON.stringify(input));
    assert.equal(here, native, JSON.stringify(input));
    verdicts += JSON.parse(here).results.reduce((sum, result) => sum + result.rules.length, 0);
  }
  assert.ok(verdicts > Number(CASES), `only ${verdicts} verdicts: the cases match nothing`);
});
