// Starts the page. The engine has been on its way since runner.js; this loads the Yew app beside it.
import { announceFailure, script } from "./runner.js";
import init from "#app";

// The choice of light or dark is applied before the app runs, so that the page does not change its colours.
try {
  const theme = localStorage.getItem("podsieve:theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be forbidden; the system's choice stands.
}

init({ module_or_path: new URL("./app_bg.wasm", import.meta.url) }).catch(announceFailure);

// Once the page works, it is kept for the next visit without a network; then, when nothing else is to do, what loads
// late. Where that is forbidden, nothing is lost.
function keep({ serviceWorker }) {
  const register = () => serviceWorker.register(script("./sw.js", document.baseURI)).catch(() => {});
  addEventListener("load", () => setTimeout(register, 2000));
  // Another version has taken over while this page was open.
  if (serviceWorker.controller) {
    serviceWorker.addEventListener("controllerchange", () => dispatchEvent(new Event("podsieve-news")));
  }
  // Who comes back is given all of it; who comes first, what is small; who has to save data, nothing.
  const part = serviceWorker.controller ? "whole" : "late";
  const keepRest = ({ active }) => active.postMessage(part);
  if (!navigator.connection?.saveData) {
    serviceWorker.ready.then((kept) => (globalThis.requestIdleCallback ?? setTimeout)(() => keepRest(kept)));
  }
}

try {
  if ("serviceWorker" in navigator) keep(navigator);
} catch {
  // Even to ask for it may be forbidden.
}
