// Files in and out, all that the Rust side knows of them (playground/src/files/mod.rs): dropped, chosen, saved.
import { readYaml } from "./runner.js";

/** More bytes than this are no manifest, more files or bytes of all than this are taken for a slip; `words::open` says it. */
const [MOST_BYTES, MOST_FILES, MOST_OF_ALL] = [4 * 1024 * 1024, 200, 32 * 1024 * 1024];

/** Characters of a version or kind; it is named on the page. */
const LONGEST = 253;

/** How many milliseconds go by before it is said how far the reading is, and between. */
const TOLD = 300;

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

/** The profiles of a `playground.yaml`, each as a list of its texts by key; null where a value is no such file. */
function profiles(value) {
  const texts = (profile) => Object.entries(profile ?? {}).filter(([, value]) => typeof value === "string");
  return Array.isArray(value?.profiles) ? value.profiles.map(texts) : null;
}

/** The documents of a file; null where it is too large, no UTF-8, or a folder, which has no text. */
async function texts(file) {
  if (file.size > MOST_BYTES) return null;
  // `file.text()` would put another character in the place of what is no UTF-8, and nobody would know.
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
    if (performance.now() - last < TOLD || done === documents.length) return;
    last = performance.now();
    onFiles(JSON.stringify({ done, of: documents.length }));
  };
  const values = (await readYaml(documents, tell)).values();
  const opened = taken.map(({ name }, at) => {
    const read = (found[at] ?? []).map((text) => [text, values.next().value?.[0]]);
    const documents = read.map(([text, value]) => described(text, value));
    return { name, unread: found[at] === null, documents, profiles: profiles(read[0]?.[1]) };
  });
  onFiles(JSON.stringify({ files: opened, left: all.length - taken.length }));
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
    read(event.dataTransfer.files, onFiles);
  }, true);
}

/** Lets the reader choose files. */
export function choose(onFiles) {
  const input = document.createElement("input");
  input.type = "file";
  input.multiple = true;
  input.accept = ".yaml,.yml,.json";
  input.onchange = () => read(input.files, onFiles);
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
