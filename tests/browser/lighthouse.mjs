// What Lighthouse says of the page: the median of five runs of each category, and what keeps a run below its mark.
// In: www/dist; CHROMIUM, set by `cargo xtask lighthouse`; LIGHTHOUSE, the program; perhaps `mobile`. Performance is evaluated
// on a desktop's network and processor by default; `mobile` has Lighthouse's slow phone.
import { execFile } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync } from "node:zlib";

const RUNS = 5;
const WANTED = { performance: 95, accessibility: 100, "best-practices": 100 };
const [form = "desktop"] = process.argv.slice(2);

const installed = fileURLToPath(new URL("./node_modules/.bin/lighthouse", import.meta.url));
const program = process.env.LIGHTHOUSE ?? (existsSync(installed) ? installed : null);
if (!program) {
  console.log("skipped: Lighthouse is not installed; `npm install -g lighthouse`, and set LIGHTHOUSE to the program");
  process.exit(0);
}

/** The built page as static hosts serve it: compressed, its assets for good. */
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".json": "application/json", ".md": "text/markdown", ".webmanifest": "application/manifest+json" };
const dist = fileURLToPath(new URL("../../www/dist", import.meta.url));
const files = new Map();
for (const name of readdirSync(dist, { recursive: true })) {
  if (statSync(join(dist, name)).isFile()) files.set(`/${name}`, brotliCompressSync(readFileSync(join(dist, name))));
}
const server = createServer(({ url }, response) => {
  const path = url === "/" ? "/index.html" : url.split("?")[0];
  const body = files.get(path);
  if (!body) return response.writeHead(404).end();
  const kept = path.startsWith("/assets-") ? "public, max-age=31536000, immutable" : "no-cache";
  const type = types[extname(path)] ?? "text/plain";
  response.writeHead(200, { "content-type": type === types[".wasm"] ? type : `${type}; charset=utf-8`, "content-encoding": "br", "cache-control": kept }).end(body);
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const address = `http://127.0.0.1:${server.address().port}/`;

const flags = "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking";
const preset = form === "mobile" ? [] : ["--preset=desktop"];

async function run() {
  const words = [address, ...preset, "--quiet", "--output=json", "--output-path=stdout"];
  words.push(`--only-categories=${Object.keys(WANTED).join(",")}`, `--chrome-flags=${flags}`);
  const env = { ...process.env, CHROME_PATH: process.env.CHROMIUM };
  const { stdout } = await promisify(execFile)(program, words, { env, maxBuffer: 2 ** 28 });
  return JSON.parse(stdout);
}

const runs = [];
for (let number = 0; number < RUNS; number++) runs.push(await run());
server.close();
const score = ({ categories }, name) => Math.round(categories[name].score * 100);
let isBelow = false;
console.log(`Lighthouse ${runs[0].lighthouseVersion}, ${form}, ${RUNS} runs`);
for (const [name, wanted] of Object.entries(WANTED)) {
  const scores = runs.map((found) => score(found, name)).toSorted((a, b) => a - b);
  const median = scores[RUNS >> 1];
  isBelow ||= median < wanted;
  console.log(`  ${name.padEnd(16)}${String(median).padStart(4)}  (${scores.join(", ")}; ${median < wanted ? "BELOW" : "at least"} ${wanted})`);
}
const middle = runs.toSorted((a, b) => score(a, "performance") - score(b, "performance"))[RUNS >> 1];
for (const category of Object.values(middle.categories)) {
  for (const { id } of category.auditRefs.filter(({ weight }) => weight > 0)) {
    const audit = middle.audits[id];
    if (audit.score === null || audit.score >= 0.995) continue;
    console.log(`    ${category.id}: ${audit.title}: ${audit.displayValue ?? "fails"} (${Math.round(audit.score * 100)})`);
    for (const { description, sourceLocation, node } of audit.details?.items?.slice(0, 5) ?? []) {
      const words = [description, sourceLocation?.url ?? node?.snippet].filter(Boolean);
      if (words.length) console.log(`      ${words.join(", ")}`);
    }
  }
}
if (isBelow) process.exit(1);
