// The story docs/stories/mesh.md on the page, from the first refusal to a narrow exemption, with its pictures.
// In: the built www/dist, served; the story's own files. Out: nothing, or with UPDATE=1 docs/pictures. What was to be read on
// the page when a picture was made is kept beside the pictures; where the page says something else, the test fails.
import { after, before, test } from "node:test";
import { launch, open, verdictIs } from "./browser.mjs";
import { give } from "./many.mjs";
import { storyOf } from "./pictures.mjs";

const { files, picture, finish: finishStory } = storyOf("mesh", "seen.json");

let browser;
before(async () => (browser = await launch()));
after(async () => {
  await browser.close();
  finishStory();
});

async function start(policy, resources) {
  const opened = await open(browser, "/", { viewport: { width: 1180, height: 700 } });
  const { page } = opened;
  await give(page, files[policy], resources);
  await page.locator(".notice").getByRole("button", { name: "Hide" }).click();
  return opened;
}

const show = (page, tab) => page.getByRole("tab", { name: tab, exact: true }).click();

test("first refusal: the Mesh tab says that the Deployment passes while its Pod will be refused, Why says why", async () => {
  const { page, finish } = await start("policy.yaml", files["orders.yaml"]);
  await verdictIs(page, "1 pass");
  await show(page, "Mesh");
  await page.getByLabel("Version").selectOption("1.24.6");
  await page.locator(".mesh .warning", { hasText: "The Deployment passes while its Pod will be refused" }).waitFor();
  await page.waitForFunction(() => !document.querySelector(".mesh[aria-busy=true]"));
  await picture(page, "mesh-1-refused");
  await page.getByRole("button", { name: /^Put this Pod into Resources/ }).click();
  await verdictIs(page, "1 fail, 1 pass");
  await finish();
});

test("why: the check that failed, and an edit that would take from the mesh what it lives on", async () => {
  const { page, finish } = await start("policy.yaml", files["pod.yaml"]);
  await verdictIs(page, "1 fail");
  await show(page, "Why");
  await page.locator(".edits li", { hasText: "capabilities.add: is removed" }).waitFor();
  await picture(page, "mesh-2-why");
  await finish();
});

test("a first exemption is attacked, and tightened until nobody else gets in", async () => {
  const { page, finish } = await start("wide.yaml", files["pod.yaml"]);
  await verdictIs(page, "1 pass");
  await show(page, "Sieve");
  await page.locator(".reaches", { hasText: "get in" }).waitFor();
  await page.locator(".attack summary").first().click();
  await picture(page, "mesh-3-sieve");
  // As long as somebody gets in whom a change shuts out, that change is applied.
  for (let round = 0; round < 6; round++) {
    if ((await page.locator(".sieve .object.is-fail").count()) === 0) break;
    const width = await page.locator(".reaches").first().innerText();
    await page.locator(".group-of .apply").first().click();
    await page.waitForFunction((before) => document.querySelector(".reaches")?.innerText !== before && !document.querySelector(".sieve[aria-busy=true]"), width);
  }
  await page.locator(".sieve .object.is-pass .reaches", { hasText: "narrow" }).waitFor();
  await verdictIs(page, "1 pass");
  await finish();
});

test("the funnel leads to the narrowest exemption, which is written into the policy", async () => {
  const { page, finish } = await start("policy.yaml", files["pod.yaml"]);
  await show(page, "Sieve");
  await page.getByRole("button", { name: "Narrow it for me" }).click();
  await page.locator(".narrow .form").first().waitFor();
  await page.getByLabel("these very tags and digests").check();
  const form = page.locator(".narrow .form", { hasText: "As an exclude" });
  await form.locator("pre", { hasText: "docker.io/istio/proxyv2:1.24.6" }).waitFor({ state: "attached" });
  await page.locator(".funnel table").scrollIntoViewIfNeeded();
  await picture(page, "mesh-4-funnel");
  if (!(await form.getByRole("button").isVisible())) await form.locator("summary").first().click();
  await form.getByRole("button", { name: "Write it into Policies" }).click();
  await verdictIs(page, "1 pass");
  await page.locator(".sieve .object.is-pass .reaches", { hasText: "narrow" }).waitFor();
  await finish();
});
