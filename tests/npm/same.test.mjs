// WebAssembly says what a native build says, byte for byte, on generated policies and resources, and on generated expressions of
// CEL and the policies that hold them.
// In: `cargo run -p tests --bin cases`, which gives questions and the native answers. Out: a failure that shows the first
// question on which the two differ. The modules are asked below `api.js`, so that their own text is compared.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import "../../engine/wasm/npm/dist/node.js";
import "../../engine/wasm/npm/dist/cel-node.js";
import * as engine from "../../engine/wasm/npm/dist/engine.js";
import { cel } from "../../engine/wasm/npm/dist/expressions.js";

const CASES = process.env.CASES ?? "2000";

/** Generated questions: the function, the text it is asked with, the native answer. */
function cases(...options) {
  const command = ["run", "--quiet", "--package", "tests", "--bin", "cases", "--", ...options, CASES];
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  const made = spawnSync(process.env.CARGO ?? "cargo", command, { cwd, encoding: "utf8", maxBuffer: 2 ** 30 });
  assert.equal(made.status, 0, made.stderr);
  const lines = made.stdout.split("\n").filter((line) => line !== "");
  assert.equal(lines.length, Number(CASES));
  return lines.map((line) => JSON.parse(line));
}

function same(here, native, question) {
  if (here !== native) assert.deepEqual(JSON.parse(here), JSON.parse(native), question);
  assert.equal(here, native, question);
}

const verdicts = (answer) => JSON.parse(answer).results.flatMap(({ rules }) => rules);

test(`${CASES} generated cases have the same answers here and natively`, () => {
  let count = 0;
  for (const [name, question, native] of cases()) {
    same(engine[name](question), native, question);
    count += verdicts(native).length;
  }
  assert.ok(count > Number(CASES), `only ${count} verdicts: the cases match nothing`);
});

test(`${CASES} generated questions about CEL have the same answers here and natively`, () => {
  const counts = { value: 0, error: 0, problems: 0 };
  const statuses = {};
  for (const [name, question, native] of cases("cel")) {
    same(engine[name](question), native, question);
    if (name === "apply") {
      for (const { status } of verdicts(native)) statuses[status] = (statuses[status] ?? 0) + 1;
      continue;
    }
    // The module that knows no policies.
    same(cel(question), native, question);
    const answer = JSON.parse(native);
    counts["value" in answer ? "value" : "problems" in answer ? "problems" : "error"] += 1;
  }
  // Each kind of answer was among them.
  const all = { ...counts, ...statuses };
  for (const kind of ["value", "error", "problems"]) assert.ok(counts[kind] > Number(CASES) / 50, JSON.stringify(all));
  for (const status of ["fail", "error"]) assert.ok(statuses[status] > Number(CASES) / 50, JSON.stringify(all));
});
