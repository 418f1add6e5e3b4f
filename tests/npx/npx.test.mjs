// `npx podsieve` from the packed package: installed from nothing, run, ended by its time, and as fast as is asked.
// In: PACKED, the packed package; PODSIEVE, the program for this machine. Run by `cargo xtask test npx`.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

const { PACKED, PODSIEVE } = process.env;
const policy = (n) => `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: no-latest-${n}}
spec:
  rules:
  - name: tag
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      message: name a version
      pattern: {spec: {containers: [{image: "!*:latest"}]}}
`;
const pod = (n) => `apiVersion: v1\nkind: Pod\nmetadata: {name: web-${n}}\nspec:\n  containers:\n  - {name: web, image: "nginx:${n % 3 ? 1 : "latest"}"}\n`;
const many = (count, one) => Array.from({ length: count }, (_, n) => one(n)).join("---\n");

let folder;
let cli;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "podsieve-npx-"));
  writeFileSync(join(folder, "policy.yaml"), policy(0));
  writeFileSync(join(folder, "pod.yaml"), pod(0));
  writeFileSync(join(folder, "policies.yaml"), many(20, policy));
  writeFileSync(join(folder, "pods.yaml"), many(1_000, pod));
  mkdirSync(join(folder, "user"));
  writeFileSync(join(folder, "user/package.json"), '{"name":"user","private":true}');
  const installed = spawnSync("npm", ["install", "--offline", "--no-audit", "--no-fund", PACKED], { cwd: join(folder, "user"), encoding: "utf8" });
  assert.equal(installed.status, 0, installed.stderr);
  cli = join(folder, "user/node_modules/.bin/podsieve");
});

after(() => rmSync(folder, { recursive: true, force: true }));

const run = (program, ...args) => spawnSync(program, args, { cwd: folder, encoding: "utf8", input: "", maxBuffer: 2 ** 28 });

test("from an empty cache to the first verdict", () => {
  const env = { ...process.env, npm_config_cache: join(folder, "cache"), npm_config_update_notifier: "false" };
  const begun = performance.now();
  const args = ["exec", "--offline", "--yes", `--package=${PACKED}`, "--", "podsieve", "apply", "policy.yaml", "-r", "pod.yaml"];
  const first = spawnSync("npm", args, { cwd: folder, encoding: "utf8", env });
  const seconds = (performance.now() - begun) / 1_000;
  const native = run(PODSIEVE, "apply", "policy.yaml", "-r", "pod.yaml");
  assert.deepEqual([first.status, first.stdout], [1, native.stdout], first.stderr);
  console.log(`# first verdict after ${seconds.toFixed(1)} s, ${readFileSync(PACKED).length} bytes`);
  assert.ok(seconds < 10, `${seconds} s`);
});

/** Seconds of processors that a run takes; the best of some. */
const cpu = (program, ...args) => {
  const line = `"$0" "$@" > ${join(folder, "out")} 2>&1; times`;
  const taken = Array.from({ length: 3 }, () => {
    const shown = spawnSync("bash", ["-c", line, program, ...args], { cwd: folder, encoding: "utf8" }).stdout;
    const [, children] = shown.trim().split("\n");
    return [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, minutes, seconds]) => sum + 60 * minutes + Number(seconds), 0);
  });
  return Math.min(...taken);
};

// The program of the tests is slower than the one that is published, so its time says little; `Node alone` is what nobody can take away.
test("20 rules and 1,000 Pods take less than a second of a processor", () => {
  const args = ["apply", "policies.yaml", "-r", "pods.yaml"];
  const [node, wasm, native] = [cpu(process.execPath, "-e", "0"), cpu(cli, ...args), cpu(PODSIEVE, ...args)];
  console.log(`# processor: Node alone ${node} s, by npx ${wasm} s, by the program ${native} s`);
  assert.ok(wasm < 1, `${wasm} s`);
  assert.equal(run(cli, ...args).stdout, run(PODSIEVE, ...args).stdout);
});

test("a run whose time is over says so and has no answer, also while it waits for its input", async () => {
  const told = (args) => new Promise((resolve) => {
    // Its input stays open.
    const child = spawn(cli, args, { cwd: folder, stdio: ["pipe", "ignore", "pipe"] });
    let err = "";
    child.stderr.on("data", (part) => (err += part));
    child.on("exit", (code) => resolve([code, err]));
  });
  const words = (limit) => `Error: the run took longer than --timeout ${limit} and is not complete\n`;
  assert.deepEqual(await told(["apply", "policy.yaml", "-r", "-", "--timeout", "300ms"]), [1, words("300ms")]);
  assert.deepEqual(await told(["compare", "-", "policy.yaml", "--timeout=0.25s"]), [2, words("0.25s")]);
  for (const args of [["--timeout", "5"], ["--timeout=-1s"], ["--timeout=0"], ["--timeout"], ["--timeout=1h2m3.5s"], ["--", "--timeout", "x"]]) {
    const all = ["apply", "policy.yaml", "-r", "pod.yaml", ...args];
    const [wasm, native] = [run(cli, ...all), run(PODSIEVE, ...all)];
    assert.deepEqual([wasm.status, wasm.stdout, wasm.stderr], [native.status, native.stdout, native.stderr], args.join(" "));
  }
});

test("paths, patterns, circles and streams are found as the program finds them", () => {
  mkdirSync(join(folder, "deep/er"), { recursive: true });
  spawnSync("ln", ["-s", "..", "circle"], { cwd: join(folder, "deep/er") });
  for (const name of ["deep/a.yaml", "deep/er/b.yml"]) writeFileSync(join(folder, name), pod(3));
  spawnSync("mkfifo", ["pipe.yaml"], { cwd: folder });
  const rows = [
    ["apply", "policy.yaml", "-r", "deep"], ["apply", "policy.yaml", "-r", "deep/**/*.y*ml"], ["apply", join(folder, "policy.yaml"), "-r", "./deep/../pod.yaml"],
    ["psa", "check", "-f", "deep"], ["apply", "deep", "-r", "pod.yaml"], ["apply", "", "-r", ""], ["apply", "policy.yaml", "-r", "missing.yaml"],
    ["apply", "policy.yaml", "-r", "-"], ["apply", "policy.yaml", "-r", "/dev/stdin"], ["version"], ["--help"], ["apply", "--hepl"], ["jp", "query", "a.b", "-i", "pod.yaml"],
  ];
  for (const args of rows) {
    const [wasm, native] = [run(cli, ...args), run(PODSIEVE, ...args)];
    assert.deepEqual([wasm.status, wasm.stdout, wasm.stderr], [native.status, native.stdout, native.stderr], args.join(" "));
  }
});
