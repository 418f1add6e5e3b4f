// Pictures of the page in the states that people meet, for critical eyes and for the README.
// In: CHROMIUM and PODSIEVE_URL, set by `cargo xtask shots`; a folder. Out: one PNG a state in that folder, and a WebP, which
// is a third as large.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch, open, openSample, phone, retype, seedLink, story } from "./browser.mjs";
import { give, pods, rules } from "./many.mjs";

const [folder = "../../target/shots", only] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

const rewrite = "/#/?policy=stories/a-rewrite-that-admits-more";
/** Both sides compared. */
async function compare(page) {
  await page.locator(".compare").getByRole("button", { name: "Compare", exact: true }).click();
  await page.locator(".compare .grade").waitFor();
}

const states = {
  desktop: { options: {}, prepare: async () => {} },
  dark: { options: { colorScheme: "dark" }, prepare: async () => {} },
  contrast: { options: { contrast: "more" }, prepare: async () => {} },
  phone: { options: phone, prepare: async () => {} },
  "phone-dark": { options: { ...phone, colorScheme: "dark" }, prepare: async (page) => page.locator(".views").getByRole("button", { name: "Policies" }).tap() },
  errors: {
    options: {},
    prepare: async (page) => {
      await retype(page, "Resources", "kind: Pod", "kind: [Pod");
      await page.locator(".problems li").first().waitFor();
    },
  },
  diff: {
    options: {},
    prepare: async (page) => {
      await openSample(page, "Mutate: a strategic merge");
      await page.locator("#tab-mutated").click();
    },
  },
  "pod-security": {
    options: { colorScheme: "dark" },
    path: () => story,
    prepare: async (page) => {
      await page.locator("#tab-pod-security").click();
      await page.locator(".results table").first().waitFor();
    },
  },
  why: { options: {}, path: () => story, prepare: (page) => page.locator("#tab-why").click() },
  compare: { options: {}, path: () => rewrite, prepare: compare },
  "compare-dark": { options: { colorScheme: "dark" }, path: () => rewrite, prepare: compare },
  "compare-phone": { options: phone, path: () => rewrite, prepare: compare },
  "compare-phone-dark": { options: { ...phone, colorScheme: "dark" }, path: () => rewrite, prepare: compare },
  share: {
    options: {},
    prepare: async (page) => {
      await page.click("#open-share");
      await page.locator(".panel summary").click();
    },
  },
  commands: {
    options: { colorScheme: "dark" },
    prepare: async (page) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("pod");
    },
  },
  workspaces: {
    options: {},
    prepare: async (page) => {
      await page.click("#open-spaces");
      for (const name of ["Before the review", "Shop, with CNI", "Ticket 4711"]) {
        await page.fill("#space-name", name);
        await page.keyboard.press("Enter");
      }
    },
  },
  embed: { options: { viewport: { width: 760, height: 400 } }, path: () => `${seedLink() ?? "/#/?"}&embed=1`, prepare: async () => {} },
  many: {
    options: {},
    prepare: async (page) => {
      await give(page, rules(8), pods(120));
      await page.locator(".matrix").waitFor();
      await page.waitForTimeout(300);
    },
  },
};

/** The picture as WebP, made by the browser itself. */
async function webp(blank, png) {
  const url = await blank.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d").drawImage(image, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/webp", quality: 0.85 })).arrayBuffer());
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  }, png.toString("base64"));
  return Buffer.from(url, "base64");
}

const browser = await launch();
const blank = await browser.newPage();
for (const [name, { options, path, prepare }] of Object.entries(states)) {
  if (only && name !== only) continue;
  const { page, finish } = await open(browser, path?.() ?? "/", options);
  await page.evaluate(() => document.fonts.ready);
  await page.locator(".verdict .count").first().waitFor();
  await prepare(page);
  await page.waitForTimeout(200);
  const file = join(folder, name);
  const png = await page.screenshot({ path: `${file}.png` });
  const small = await webp(blank, png);
  writeFileSync(`${file}.webp`, small);
  console.log(`${file}.png ${(png.length / 1000).toFixed(0)} kB, .webp ${(small.length / 1000).toFixed(0)} kB`);
  await finish();
}
await browser.close();
