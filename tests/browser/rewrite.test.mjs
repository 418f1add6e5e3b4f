// The story docs/stories/a_rewrite.md on the page: converted, then broken and found out, with its pictures.
// In: the built www/dist, served; the story's own files. Out: nothing, or with UPDATE=1 docs/pictures.
import { after, before, test } from "node:test";
import { launch, open, says, verdictIs } from "./browser.mjs";
import { give } from "./many.mjs";
import { storyOf } from "./pictures.mjs";
import { write } from "./typing.mjs";

const { files, picture, finish: finishStory } = storyOf("a_rewrite", "seen-rewrite.json", (line) => line.replace(/\d+/g, "#"));

let browser;
before(async () => (browser = await launch()));
after(async () => {
  await browser.close();
  finishStory();
});

async function start() {
  const opened = await open(browser, "/", { viewport: { width: 1400, height: 800 } });
  const { page } = opened;
  await give(page, files["old.yaml"], files["pods.yaml"]);
  await page.locator(".notice", { hasText: "read into" }).waitFor();
  await page.locator(".notice").getByRole("button", { name: "Hide" }).click();
  await verdictIs(page, "1 fail, 1 pass");
  await page.getByRole("tab", { name: "Compare" }).click();
  return opened;
}

test("the ClusterPolicy is converted beside itself, and decides the same", async () => {
  const { page, finish } = await start();
  await page.getByRole("button", { name: "Convert to CEL" }).click();
  await says(page.locator(".compare .policy h4"), /no difference found/);
  await page.locator(".compare[aria-busy=false]").waitFor();
  await picture(page, "compare-1-converted");
  await finish();
});

test("the broken one is wider, and the smallest Pod shows it", async () => {
  const { page, finish } = await start();
  await write(page, `‸${files["broken.yaml"]}`, "New policies");
  await page.getByLabel("creations only").check();
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await says(page.locator(".compare .grade p"), /^The new policies are wider/);
  await page.locator(".compare[aria-busy=false]").waitFor();
  await page.locator(".policies .cm-marked").first().waitFor();
  await picture(page, "compare-2-broken");
  await finish();
});
