// Files in and out, all that the Rust side knows of them (playground/src/files.rs): dropped, chosen, saved.
import { readYaml } from "./runner.js";

/** More bytes than this are no manifest. */
const MOST = 4 * 1024 * 1024;

/**
 * The profiles of a `playground.yaml`, each as a list of its texts by key; null where the text is no such file.
 * The engine's worker reads the YAML, so that the page need not carry a reader of its own.
 */
async function profiles(text) {
  if (!text.includes("profiles")) return null;
  const found = (await readYaml(text))?.[0]?.profiles;
  const texts = (profile) => Object.entries(profile ?? {}).filter(([, value]) => typeof value === "string");
  return Array.isArray(found) ? found.map(texts) : null;
}

/** @param {Iterable<File>} files @param {(json: string) => void} onFiles gets [{name, text, profiles}] as JSON */
async function read(files, onFiles) {
  const wanted = [...files].slice(0, 200);
  const text = async (file) => {
    const text = file.size > MOST ? "" : await file.text();
    return { name: file.name, text, profiles: await profiles(text) };
  };
  if (wanted.length > 0) onFiles(JSON.stringify(await Promise.all(wanted.map(text))));
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
