// The views that load late: a second, small module beside the page's own. This file loads it and hands on what is asked.
// In: a place on the page and JSON that says what is to be drawn there (playground/src/late). Out: the drawn view.
import init, * as views from "#views";
import css from "../../css/late.css";
import compare from "../../css/compare.css";

const sheet = new CSSStyleSheet();
sheet.replaceSync(css + compare);
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];

const ready = init({ module_or_path: new URL("./views_bg.wasm", import.meta.url) });

/** @param {Element} place @param {string} json @param {(ask: string, text: string) => void} onAsk */
export async function draw(place, json, onAsk) {
  await ready;
  // The page may have gone on while the module was loading.
  if (place.isConnected) views.draw(place, json, onAsk);
}

/** @param {Element} place */
export async function erase(place) {
  await ready;
  views.erase(place);
}
