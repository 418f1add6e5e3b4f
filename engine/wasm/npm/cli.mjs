#!/usr/bin/env node
// `podsieve`: the terminal client by WebAssembly, on every system that has Node. In: arguments, streams, files. Out: what the program for
// this machine would write, and its exit code.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { isatty } from "node:tty";
import { fileURLToPath } from "node:url";
import { run } from "./wasi.mjs";

const WORDS = {
  missing: "this package was built without podsieve.wasm, the terminal client: `cargo xtask dist npm` builds both",
  stopped: (why) => `podsieve stopped, most likely as its memory is exhausted (${why}): give it less at once, or take the program for your system`,
};
/** The exit code of a program that is ended by a fault of its own. */
const ABORTED = 134;
/** Milliseconds of Go's units of time. */
const UNITS = { ns: 1e-6, us: 1e-3, "µs": 1e-3, "μs": 1e-3, ms: 1, s: 1e3, m: 6e4, h: 36e5 };
/** Timers of Node count to here. */
const LONGEST = 2 ** 31 - 1;
/** Tells a run whether its time is counted already, or over. */
const TIME = "PODSIEVE_TIME";

const args = process.argv.slice(2);

/** The milliseconds of `--timeout`; none where it is not given, or not a duration, which the module says itself. */
function limit() {
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const at = args.findLastIndex((arg, index) => index < end && /^--timeout(=|$)/.test(arg));
  const value = at < 0 ? "" : args[at].includes("=") ? args[at].slice(args[at].indexOf("=") + 1) : args[at + 1] ?? "";
  if (!/^\+?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(value)) return undefined;
  const parts = [...value.matchAll(/([\d.]+)(\D+)/g)];
  return Math.min(Math.ceil(parts.reduce((sum, [, count, unit]) => sum + count * UNITS[unit], 0)), LONGEST) || undefined;
}

function here(time) {
  // A module knows no terminal's width.
  const columns = process.stdout.columns ? { COLUMNS: String(process.stdout.columns) } : {};
  const env = { ...columns, ...process.env, PWD: process.cwd(), [TIME]: time };
  try {
    const module = new WebAssembly.Module(readFileSync(new URL("./podsieve.wasm", import.meta.url)));
    return run(module, { args: ["podsieve", ...args], env, terminals: [0, 1, 2].map((fd) => isatty(fd)) });
  } catch (error) {
    const isMissing = error?.code === "ENOENT";
    if (!isMissing && !(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) throw error;
    console.error(`Error: ${isMissing ? WORDS.missing : WORDS.stopped(error.message)}`);
    return ABORTED;
  }
}

const time = process.env[TIME] === "counted" ? undefined : limit();
if (time === undefined) {
  process.exitCode = here("counted");
} else {
  // A program of its own: a thread that waits for its input cannot be ended.
  const options = { stdio: "inherit", env: { ...process.env, [TIME]: "counted" }, timeout: time, killSignal: "SIGKILL" };
  const { error, status } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), ...args], options);
  process.exitCode = error?.code === "ETIMEDOUT" ? here("over") : status ?? ABORTED;
}
