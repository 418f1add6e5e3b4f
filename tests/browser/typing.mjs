// What the tests of the editor share: a text with the cursor at a place, the list of completions, cards.
// In: a page of Playwright. Out: what a person would see.

import assert from "node:assert/strict";
import { eventually } from "./browser.mjs";

/** A page whose policy is this text, the cursor at the place marked with ‸. */
export async function write(page, text, label = "Policies") {
  const editor = page.getByRole("textbox", { name: label, exact: true });
  await editor.focus();
  // Help comes once somebody turns to an editor; what is typed before it is there opens no list.
  await page.waitForFunction(() => performance.getEntriesByType("resource").some(({ name }) => name.endsWith("/late/assist.js")));
  await page.waitForTimeout(100);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text.replace("‸", ""));
  // On a slow machine the browser tells the editor of the cursor behind what was inserted after a key has moved it: then once more.
  const [head, tail = ""] = text.split("‸");
  const wanted = (head.split("\n").at(-1) + tail.split("\n")[0]).trim();
  await eventually(async () => {
    await to(page, head);
    // An empty text shows an example.
    if (head + tail !== "") assert.equal((await line(page)).trim(), wanted);
  });
  return editor;
}

/** Puts the cursor behind this part of the text, by keys. */
async function to(page, head) {
  await page.keyboard.press("Control+Home");
  const lines = head.split("\n");
  for (let line = 1; line < lines.length; line++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Home");
  await page.keyboard.press("Home");
  // Home goes to the first letter, then to the first column.
  const atStart = await page.evaluate(() => getSelection().anchorOffset === 0 || getSelection().anchorNode.nodeName === "DIV");
  if (!atStart) await page.keyboard.press("Home");
  for (let column = 0; column < lines.at(-1).length; column++) await page.keyboard.press("ArrowRight");
}

/** The open list. */
export const options = (page) => page.locator(".field:visible .cm-tooltip-autocomplete li");
/** Waits for the list; keys count a moment after it has come, so that nobody takes what he has not seen. */
export async function listed(page) {
  await options(page).first().waitFor();
  await page.waitForTimeout(150);
}

export const labels = (page) => page.locator(".field:visible .cm-tooltip-autocomplete .cm-completionLabel").allInnerTexts();
/** What is said of a name. */
export const card = (page) => page.locator(".field:visible .cm-card");
/** The line with the cursor. */
export const line = (page) => page.locator(".cm-focused .cm-activeLine").innerText();
