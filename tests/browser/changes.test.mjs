// What a key press costs and what it tells: answers by what has changed, and fields that no API server would take.
// In: the built www/dist, served. Each test also holds what `open` in browser.mjs watches.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eventually, launch, open, retype, says, verdictIs } from "./browser.mjs";
import { give, pods, rules } from "./many.mjs";

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

/** Notes the length of each answer of the engine. */
function watchAnswers() {
  const { set, ...rest } = Object.getOwnPropertyDescriptor(Worker.prototype, "onmessage");
  window.answers = [];
  Object.defineProperty(Worker.prototype, "onmessage", {
    ...rest,
    set(take) {
      set.call(this, take && ((event) => {
        if (event.data.kind === "output") window.answers.push(event.data.text.length);
        take(event);
      }));
    },
  });
}

test("a key press in one of many resources is answered by what has changed, and the rest has moved", async () => {
  const { page, finish } = await open(browser);
  await page.addInitScript(watchAnswers);
  await page.reload();
  await page.locator(".results .rule").first().waitFor();
  await give(page, rules(20), pods(90));
  await page.locator(".matrix").waitFor();
  const before = await page.locator(".verdict").innerText();
  const [whole] = (await page.evaluate(() => window.answers)).slice(-1);
  await page.getByRole("textbox", { name: "Resources" }).focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("# a line more\n");
  await eventually(async () => {
    const answers = await page.evaluate(() => window.answers);
    assert.ok(answers.at(-1) * 10 < whole, `${answers} of ${whole}`);
  });
  // Between two of the keys the first Pod is a comment with a broken document behind it: what counts is the last answer.
  const untimed = (text) => text.replace(/\d+(\.\d+)? ms/, "");
  await eventually(async () => assert.equal(untimed(await page.locator(".verdict").innerText()), untimed(before)));
  await page.waitForFunction(() => !document.querySelector(".results.stale"));
  await page.locator(".matrix tbody tr[aria-rowindex='2'] td").first().click();
  await page.locator(".detail button.place", { hasText: "Resources" }).first().waitFor();
  const shown = await page.locator(".detail").innerText();
  await page.reload();
  await page.locator(".matrix").waitFor();
  await page.locator(".matrix tbody tr[aria-rowindex='2'] td").first().click();
  await page.locator(".detail button.place", { hasText: "Resources" }).first().waitFor();
  assert.equal(await page.locator(".detail").innerText(), shown, "as an evaluation of all says it");
  await finish();
});

test("a field that no API server would take is named with what was meant, and a pattern that asks for one", async () => {
  const { page, finish } = await open(browser);
  await give(
    page,
    rules(1).replace("          metadata:\n            labels:\n              app", "          labels:\n              app"),
    pods(1).replace("containers:", "contaners:"),
  );
  await verdictIs(page, "1 fail");
  await says(page.locator(".problems"), /a Pod has no field spec\.contaners[^]*did you mean containers\?/);
  await says(page.locator(".problems"), /the pattern asks for labels[^]*did you mean metadata\.labels\?/);
  await retype(page, "Resources", "contaners", "containers");
  await eventually(async () => assert.doesNotMatch(await page.locator(".problems").innerText(), /contaners/));
  await finish();
});
