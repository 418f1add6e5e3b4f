// How many Pods a second the module evaluates by level. In: a folder with pods.yaml, baseline.yaml and restricted.yaml, and
// the built package. Out: a line each, as the native figures stand. Run by `cargo run --release -p tests --bin bench`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { apply, psa } from "../../engine/wasm/npm/dist/node.js";

const folder = process.argv[2];
const file = (name) => [{ name, text: readFileSync(join(folder, name), "utf8") }];
const ROUNDS = 5;

function line(what, work) {
  let best = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    const evaluated = work();
    best = Math.max(best, (evaluated * 1000) / (performance.now() - started));
  }
  console.log(`${what.padEnd(60)} ${best.toFixed(0).padStart(12)}`);
}

const resources = file("pods.yaml");
for (const level of ["baseline", "restricted"]) {
  const policies = file(`${level}.yaml`);
  line(`wasm: a podSecurity rule of ${level}, from text to verdicts`, () => apply({ policies, resources }).results.length);
}
line("wasm: psa, from text to the table of both levels", () => psa({ resources }).objects.length);
