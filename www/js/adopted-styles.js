// Stands in for CodeMirror's `style-mod`: its rules go into a constructed style sheet instead of a <style> element,
// which the page's Content-Security-Policy (no `unsafe-inline`) would refuse. The build puts this file in its place.
import { StyleModule as Base } from "../node_modules/style-mod/src/style-mod.js";

/** The sheet of each document or shadow root, with the modules whose rules it holds. */
const sheets = new WeakMap();

export class StyleModule extends Base {
  /** @param {Document | ShadowRoot} root @param {StyleModule | StyleModule[]} modules */
  static mount(root, modules) {
    let entry = sheets.get(root);
    if (!entry) {
      entry = { sheet: new CSSStyleSheet(), modules: [] };
      sheets.set(root, entry);
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, entry.sheet];
    }
    const wanted = Array.isArray(modules) ? modules : [modules];
    const added = wanted.filter((module) => !entry.modules.includes(module));
    if (added.length === 0) return;
    // Later modules win over earlier ones; what was there before keeps its place in front.
    entry.modules.push(...added);
    entry.sheet.replaceSync(entry.modules.map((module) => module.getRules()).join("\n"));
  }
}
