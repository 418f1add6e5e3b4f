// A folder of texts as one zip file; loaded when somebody saves one.
import { downloadZip } from "client-zip";

/** @param {string} folder @param {{name: string, text: string}[]} files */
export function zip(folder, files) {
  return downloadZip(files.map(({ name, text }) => ({ name: `${folder}/${name}`, input: text }))).blob();
}
