// The npm package where no Node is: a plain page, the custom element, programs bundled by esbuild and by vite.
// In: engine/wasm/npm/dist, made by `cargo xtask build`; CHROMIUM. Run by `cargo xtask test browser`.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { build } from "vite";
import { axe, launch } from "./browser.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json" };
let folder, browser, server, address;

/** What a program does with the package: the verdict on a Pod without a label, as the page's title. */
const program = (imports, start) => `
${imports}
${start}
const policy = "apiVersion: kyverno.io/v1\\nkind: ClusterPolicy\\nmetadata: {name: labels}\\nspec: {rules: [{name: team, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {message: m, pattern: {metadata: {labels: {team: '?*'}}}}}]}";
const pod = "apiVersion: v1\\nkind: Pod\\nmetadata: {name: web}\\nspec: {containers: []}";
document.title = apply({ policies: [{ name: "p", text: policy }], resources: [{ name: "r", text: pod }] }).results[0].rules[0].status;
`;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "podsieve-package-"));
  cpSync(join(repository, "engine/wasm/npm/dist"), join(folder, "node_modules/podsieve"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "user", private: true, type: "module" }));
  server = createServer((request, response) => {
    const path = join(folder, normalize(decodeURIComponent(new URL(request.url, "http://localhost").pathname)));
    const file = existsSync(path) && statSync(path).isDirectory() ? join(path, "index.html") : path;
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": types[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
  browser = await launch();
});

after(async () => {
  await browser?.close();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a page; what it complains of fails the test. */
async function visit(path) {
  const page = await browser.newPage();
  const complaints = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${address}/${path}`);
  return { page, complaints };
}

async function titleIs(path, wanted) {
  const { page, complaints } = await visit(path);
  await page.waitForFunction(() => document.title !== "").catch(() => {});
  assert.deepEqual([await page.title(), complaints], [wanted, []]);
  await page.close();
}

const html = (script) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,"></head><body>${script}</body></html>`;

test("a plain page imports the package with one line and no bundler", async () => {
  const source = program('import init, { apply } from "./node_modules/podsieve/index.js";', "await init();");
  writeFileSync(join(folder, "plain.html"), html(`<script type="module">${source}</script>`));
  await titleIs("plain.html", "fail");
});

test("esbuild bundles it, with the module as a file", async () => {
  mkdirSync(join(folder, "esbuild"));
  const source = program('import init, { apply } from "podsieve";\nimport wasm from "podsieve/engine_bg.wasm";', "await init(wasm);");
  writeFileSync(join(folder, "with-esbuild.js"), source);
  const built = await esbuild.build({
    absWorkingDir: folder,
    entryPoints: ["with-esbuild.js"],
    bundle: true,
    format: "esm",
    outdir: "esbuild",
    loader: { ".wasm": "file" },
    publicPath: "/esbuild/",
    logLevel: "silent",
  });
  assert.deepEqual(built.errors, []);
  writeFileSync(join(folder, "esbuild/index.html"), html('<script type="module" src="with-esbuild.js"></script>'));
  await titleIs("esbuild/", "fail");
});

test("vite bundles it and finds the module by itself", async () => {
  writeFileSync(join(folder, "with-vite.js"), program('import init, { apply } from "podsieve";', "await init();"));
  writeFileSync(join(folder, "index.html"), html('<script type="module" src="/with-vite.js"></script>'));
  await build({ root: folder, base: "/vite/", logLevel: "silent", configFile: false, build: { outDir: "vite", target: "es2022" } });
  await titleIs("vite/", "fail");
});

test("the element shows a verdict, follows what is typed, and shows texts as texts", async () => {
  cpSync(join(repository, "docs/element.html"), join(folder, "element/index.html"));
  cpSync(join(folder, "node_modules/podsieve"), join(folder, "element/podsieve"), { recursive: true });
  const { page, complaints } = await visit("element/");
  const check = page.locator("podsieve-check");
  await check.getByText("1 fail", { exact: true }).waitFor();
  await check.getByText("validation error: The label team is required. rule team failed at path /metadata/labels/").waitFor();
  assert.deepEqual(await axe(page), []);
  const field = page.getByRole("textbox");
  await field.fill((await field.inputValue()).replace("name: web\n", "name: web\n  labels: {team: a}\n"));
  await check.getByText("1 pass", { exact: true }).waitFor();
  await field.fill("kind: Pod\napiVersion: v1\nmetadata: {name: '<img src=x onerror=\"document.title=1\">'}\n");
  await check.getByText('Pod <img src=x onerror="document.title=1">:').waitFor();
  await field.fill("a: [");
  await check.getByText("did not find expected").first().waitFor();
  assert.equal(await page.title(), "A verdict in any page");
  assert.deepEqual(complaints, []);
  await page.close();
});
