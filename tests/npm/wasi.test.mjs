// The system of the terminal client in npm (`wasi.mjs`) does what this machine does: one small program, compiled for both, over the same files.
// In: `wasi/probe.rs`, rustc with its target wasm32-wasip1. The terminal client itself is held against its native build by `cargo xtask test npx`.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { hostPath } from "../../engine/wasm/npm/wasi.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const host = new URL("../../engine/wasm/npm/wasi.mjs", import.meta.url);
/** What starts the module, as `cli.mjs` starts the terminal client. */
const START = `
import { readFileSync } from "node:fs";
import { run } from ${JSON.stringify(host.href)};
const [file, ...args] = process.argv.slice(1);
process.exitCode = run(new WebAssembly.Module(readFileSync(file)), { args: ["probe", ...args], env: { ...process.env, PWD: process.cwd() } });`;

let folder;
/** The program and its first arguments, for this machine and for WASI. */
let programs;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "podsieve-wasi-"));
  const built = ["native", "wasm"].map((name) => join(folder, name));
  const rustc = (...options) => execFileSync(process.env.RUSTC ?? "rustc", ["--edition=2024", "wasi/probe.rs", ...options], { cwd: here, stdio: "pipe" });
  rustc("-o", built[0]);
  rustc("--target", "wasm32-wasip1", "-o", built[1]);
  programs = [[built[0]], [process.execPath, "--input-type=module", "--eval", START, built[1]]];
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** A folder of its own with all that a walk can meet. */
function files(name) {
  const root = join(folder, name);
  mkdirSync(join(root, "below/many"), { recursive: true });
  for (let n = 0; n < 400; n++) writeFileSync(join(root, `below/many/file-${n}-${"long".repeat(9)}.yaml`), "");
  writeFileSync(join(root, "text.yaml"), "kind: Pod\n");
  writeFileSync(join(root, "ü 名.yaml"), "x".repeat(300_001));
  symlinkSync("text.yaml", join(root, "link.yaml"));
  symlinkSync("nowhere", join(root, "broken"));
  symlinkSync("..", join(root, "below/circle"));
  return root;
}

const PATHS = [
  "text.yaml", "ü 名.yaml", "link.yaml", "broken", "below", "below/many", "below/circle", "below/circle/text.yaml", "below/../text.yaml", ".", "missing",
  "missing/x", "text.yaml/x", "x".repeat(300),
];

test("a module finds the files, streams and errors that a program for this machine finds", () => {
  // Both in a folder of the same name, one after the other: true paths are told.
  const [native, wasm] = programs.map(([program, ...first]) => {
    const cwd = files("work");
    const env = { ...process.env, PROBE: "a=b ü" };
    const ran = spawnSync(program, [...first, ...PATHS, join(cwd, "text.yaml")], { cwd, env, input: "in\n".repeat(70_000), maxBuffer: 2 ** 24 });
    rmSync(cwd, { recursive: true });
    return { status: ran.status, out: String(ran.stdout), err: String(ran.stderr) };
  });
  assert.equal(native.status, 7);
  assert.ok(native.out.length > 3 << 20 && native.err === "on standard error", native.out.slice(0, 2_000));
  assert.match(native.out, /input: Ok\(210000\)/);
  // Line by line: an error that names one, not three million letters.
  for (const [index, line] of native.out.split("\n").entries()) assert.equal(wasm.out.split("\n")[index], line);
  assert.deepEqual(wasm, native);
});

test("a slow reader gets everything", async () => {
  const [program, ...first] = programs[1];
  const cwd = files("slow");
  const child = spawn(program, first, { cwd, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.end();
  let length = 0;
  for await (const part of child.stdout) {
    length += part.length;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.ok(length > 3 << 20, String(length));
});

test("paths of Windows begin anew at a drive", () => {
  const rows = [
    ["C:\\Users\\me", "C:/Users/me"],
    ["C:\\Users\\me/pods/a.yaml", "C:/Users/me/pods/a.yaml"],
    ["C:\\Users\\me/D:\\pods\\a.yaml", "D:/pods/a.yaml"],
    ["C:\\Users\\me/d:/", "d:/"],
    ["C:\\Users\\me/..\\b:c.yaml", "C:/Users/me/../b:c.yaml"],
    ["C:", "C:/"],
    ["", "/"],
  ];
  for (const [path, wanted] of rows) assert.equal(hostPath(path, "win32"), wanted);
  assert.equal(hostPath("a\\b/C:/c", "linux"), "/a\\b/C:/c");
});
