// The seed's link, recorded from the wild: opened cold, evaluated, edited, shared again, byte for byte.
// Skipped where the recorded answers are not beside the repository; page.test.mjs does the same with an own link.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { launch, open, retype, seedLink, verdictIs } from "./browser.mjs";

const link = seedLink();
const options = { skip: link ? false : "no shared/conformance/links beside the repository or above it" };

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

test("the link shows policy, Pods and verdicts", options, async () => {
  const { page, finish } = await open(browser, link);
  await verdictIs(page, "2 pass");
  for (const words of ["Pod istio-pod", "Pod linkerd-pod", "disallow-capabilities / adding-capabilities-service-mesh", "rule passed"]) {
    await page.locator(".results", { hasText: words }).waitFor();
  }
  await finish();
});

test("NET_ADMIN made SYS_ADMIN turns the verdict, with Kyverno's words", options, async () => {
  const { page, finish } = await open(browser, link);
  await verdictIs(page, "2 pass");
  await retype(page, "Resources", "NET_ADMIN", "SYS_ADMIN");
  await verdictIs(page, "1 fail, 1 pass");
  assert.match(
    await page.locator(".rule.is-fail .message").innerText(),
    /The service mesh initContainer istio-init is attempting to add forbidden capabilities\.$/,
  );
  await finish();
});

test("sharing it unchanged gives back the same link", options, async () => {
  const { page, finish } = await open(browser, link);
  await page.click("#open-share");
  assert.equal(await page.inputValue("#share-original"), `https://playground.kyverno.io${link}`);
  await finish();
});
