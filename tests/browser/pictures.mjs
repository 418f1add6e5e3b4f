// The pictures of a story of docs/stories, taken of the page in the states that the story describes.
// In: the story's name, and the file that keeps what was to be read on the page when its pictures were made. Out: its files, and
// `picture`: with UPDATE=1 it takes one; else it fails where the page says something else.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { axe } from "./browser.mjs";
import { small } from "./png.mjs";

const root = new URL("../../docs/", import.meta.url);
const isUpdate = process.env.UPDATE === "1";
/** More bytes than this are not a picture for a document. */
const MOST = 100_000;

/**
 * @param {string} name the story's file, without its ending @param {string} seenName the file beside the pictures
 * @param {(line: string) => string} kept what of a line is kept: a picture is not made anew for what changes with each search
 */
export function storyOf(name, seenName, kept = (line) => line) {
  const story = readFileSync(new URL(`stories/${name}.md`, root), "utf8");
  const files = Object.fromEntries([...story.matchAll(/^```yaml (\S+)\n([^]*?)^```$/gm)].map(([, file, text]) => [file, text]));
  const seenFile = new URL(`pictures/${seenName}`, root);
  const seen = {};

  /** Takes a picture of the story, or holds what it shows against the page. */
  async function picture(page, shot) {
    assert.ok(story.includes(`../pictures/${shot}.png`), `${shot} is not in the story`);
    const words = (await page.locator("#result-view").innerText()).split("\n").map((line) => kept(line.trim())).filter(Boolean);
    seen[shot] = words;
    const path = new URL(`pictures/${shot}.png`, root);
    if (isUpdate) {
      mkdirSync(new URL("pictures/", root), { recursive: true });
      // Where nothing blinks.
      await page.evaluate(() => document.activeElement.blur());
      writeFileSync(path, await small(page, await page.screenshot()));
    }
    assert.ok(statSync(path).size <= MOST, `${shot}.png has ${statSync(path).size} bytes`);
    if (!isUpdate) {
      assert.deepEqual(words, JSON.parse(readFileSync(seenFile, "utf8"))[shot], "the page says something else than the picture: UPDATE=1 makes it anew");
    }
    assert.deepEqual(await axe(page), []);
  }

  /** To be called once all pictures are taken. */
  const finish = () => isUpdate && writeFileSync(seenFile, `${JSON.stringify(seen, null, 2)}\n`);
  return { files, picture, finish };
}
