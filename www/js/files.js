// Files in and out, all that the Rust side knows of them (playground/src/files/mod.rs): dropped, chosen, saved.
import { readYaml } from "./runner.js";

/** What files of manifests are called, and what files of prose. */
const [MANIFEST, PROSE] = [/\.(ya?ml|json)$/i, /\.(md|markdown|rst|adoc|html?)$/i];

/** More bytes than this are not a manifest, more files or bytes of all than this are taken for a slip; `words::open` says it. */
const [MOST_BYTES, MOST_FILES, MOST_OF_ALL] = [4 * 1024 * 1024, 200, 32 * 1024 * 1024];

/** Characters of a version or kind; it is named on the page. */
const LONGEST = 253;

/** How many milliseconds go by before it is said how far the reading is, and between. */
const REPORTED_MILLIS = 300;

/** The documents of a text as they are written, without the lines between them and without those that say nothing. */
function pieces(text) {
  const says = (line) => /^\s*[^\s#]/.test(line);
  const all = text.split(/(?<=^|\n)(?=---(?:\s|$))/).map((piece) => piece.replace(/^---[ \t\r]*(?:\n|$)/, ""));
  return all.filter((piece) => piece.split("\n").some(says));
}

/** Of what version and kind a document is: what was read of it, or where it cannot be read what its lines say. */
function described(text, value) {
  const written = (key) => text.match(new RegExp(`^${key}: *["']?([\\w./-]+)`, "m"))?.[1];
  const field = (key) => String((value === undefined ? written(key) : value?.[key]) ?? "").slice(0, LONGEST);
  return { text, apiVersion: field("apiVersion"), kind: field("kind") };
}

/** What may be meant for another item of its list: an anchor, or what refers to one. */
const REFERS = /(?:^|[\s[{,])[&*][\w-]/;

/** The items of a list as they are written, a document each; null where they are not written plainly, each below its dash. */
function writtenItems(text, count) {
  if (REFERS.test(text)) return null;
  const lines = text.split("\n");
  const start = lines.findIndex((line) => /^items:\s*(#.*)?$/.test(line)) + 1;
  const says = (line) => /^\s*[^\s#]/.test(line);
  const dash = start > 0 && /^( *)-( +)\S/.exec(lines.slice(start).find(says) ?? "");
  if (!dash) return null;
  const [, before, behind] = dash;
  const depth = before.length + 1 + behind.length;
  const found = [];
  for (const line of lines.slice(start)) {
    if (line.startsWith(`${before}-${behind}`)) found.push([line.slice(depth)]);
    else if (line.slice(0, depth).trim() === "") found.at(-1)?.push(line.slice(depth));
    else if (!says(line)) found.at(-1)?.push(line.trim());
    // Another key of the list ends its items.
    else if (/^[\w"']/.test(line)) break;
    else return null;
  }
  return found.length === count ? found.map((item) => `${item.join("\n").trimEnd()}\n`) : null;
}

/** The documents that a `List` holds, with what was read of each; null for what is not a list. */
function itemsOf(text, value) {
  if (!/List$/.test(value?.kind ?? "") || !Array.isArray(value.items)) return null;
  const written = writtenItems(text, value.items.length) ?? value.items.map((item) => `${JSON.stringify(item, null, 2)}\n`);
  return written.map((item, at) => [item, value.items[at]]);
}

/** Puts a text whose lists are taken apart into `then`: each item of a `List` is a document of its own. */
export async function splitLists(text, then) {
  const all = pieces(text);
  const values = await readYaml(all);
  const split = all.flatMap((piece, at) => itemsOf(piece, values[at]?.[0])?.map(([item]) => item) ?? [piece]);
  then(split.map((piece) => piece.replace(/\n*$/, "\n")).join("---\n"));
}

/** The profiles of a `playground.yaml`, each as a list of its texts by key; null where a value is no such file. */
function profiles(value) {
  const texts = (profile) => Object.entries(profile ?? {}).filter(([, value]) => typeof value === "string");
  return Array.isArray(value?.profiles) ? value.profiles.map(texts) : null;
}

/** The documents of a file; null where it is too large, no UTF-8, or a folder, which has no text. */
async function texts(file) {
  if (file.size > MOST_BYTES) return null;
  // `file.text()` would put another character in the place of what is not UTF-8, and nobody would know.
  const decoded = (bytes) => pieces(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  return file.arrayBuffer().then(decoded).catch(() => null);
}

/** The first of these files, as many as are read. */
function most(files) {
  let bytes = 0;
  const isWithin = ({ size }) => size > MOST_BYTES || (bytes += size) <= MOST_OF_ALL;
  const end = files.findIndex((file, at) => at >= MOST_FILES || !isWithin(file));
  return end < 0 ? files : files.slice(0, end);
}

/**
 * Reads files. The engine's worker reads their YAML, so that the page need not carry a reader of its own.
 * @param {Iterable<File>} files @param {(json: string) => void} onFiles gets {files, left} as JSON; `left` is how many were
 *   not looked at; before, where that takes time, {done, of}: how many documents are read
 */
async function read(files, onFiles) {
  const all = [...files];
  const taken = most(all);
  if (taken.length === 0) return;
  const found = await Promise.all(taken.map(texts));
  const documents = found.flatMap((texts) => texts ?? []);
  let last = performance.now();
  const tell = (done) => {
    if (performance.now() - last < REPORTED_MILLIS || done === documents.length) return;
    last = performance.now();
    onFiles(JSON.stringify({ done, of: documents.length }));
  };
  const values = (await readYaml(documents, tell)).values();
  const opened = taken.map(({ name }, at) => {
    const read = (found[at] ?? []).map((text) => [text, values.next().value?.[0]]);
    const all = read.flatMap(([text, value]) => itemsOf(text, value) ?? [[text, value]]);
    // A README is not a manifest, whatever its lines look like.
    const isOther = PROSE.test(name) || (!MANIFEST.test(name) && !all.every(([, value]) => value?.apiVersion && value.kind));
    const documents = isOther ? [] : all.map(([text, value]) => described(text, value));
    return { name, unread: found[at] === null || isOther, documents, profiles: profiles(read[0]?.[1]) };
  });
  onFiles(JSON.stringify({ files: opened, left: all.length - taken.length }));
}

/** The manifests of a folder and of the folders in it; hidden ones are passed over. */
const manifests = (files) => files.filter(({ name, path }) => MANIFEST.test(name) && !/(^|\/)\./.test(path)).map(({ file }) => file);

/** The files below what was dropped, no more than are looked at and one. */
async function below(entry, path = "") {
  if (entry.name.startsWith(".")) return [];
  const inner = `${path}${entry.name}`;
  if (entry.isFile) return [{ name: entry.name, path: inner, file: await new Promise((resolve, reject) => entry.file(resolve, reject)) }];
  const reader = entry.createReader();
  const found = [];
  while (found.length <= MOST_FILES) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) break;
    for (const each of some) found.push(...(await below(each, `${inner}/`)));
  }
  return found;
}

/** What was dropped: its files, and those of its folders. */
async function dropped({ items, files }) {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.());
  const plain = [...files];
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const single = plain.filter((_, at) => entries[at]?.isFile);
  const inner = await Promise.all(entries.filter((entry) => entry?.isDirectory).map((entry) => below(entry)));
  return [...single, ...manifests(inner.flat())];
}

/** Files that are dropped anywhere on the page. */
export function listen(onFiles) {
  const root = document.documentElement;
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  // In front of the editors, which would take the text in at the place of the pointer.
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    root.dataset.drop = "";
  }, true);
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) delete root.dataset.drop;
  }, true);
  addEventListener("drop", (event) => {
    delete root.dataset.drop;
    if (!hasFiles(event)) return;
    event.preventDefault();
    event.stopPropagation();
    dropped(event.dataTransfer).then((files) => read(files, onFiles));
  }, true);
}

/** Lets the reader choose files, or a folder. */
export function choose(onFiles, isFolder) {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  if (isFolder) input.webkitdirectory = true;
  else input.accept = ".yaml,.yml,.json";
  const all = () => [...input.files];
  const inFolder = () => manifests(all().map((file) => ({ name: file.name, path: file.webkitRelativePath, file })));
  input.onchange = () => read(isFolder ? inFolder() : all(), onFiles);
  input.click();
}

/** Saves a text as a file. */
export function save(name, text) {
  download(name, new Blob([text], { type: "application/yaml" }));
}

/** Saves texts as a zip of one folder. @param {string} json [{name, text}] */
export async function saveFolder(folder, json) {
  const { zip } = await import("./late/zip.js");
  download(`${folder}.zip`, await zip(folder, JSON.parse(json)));
}

function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Today, as the file's date. */
export function today() {
  return new Date().toISOString().slice(0, 10);
}
