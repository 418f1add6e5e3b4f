// <podsieve-check policy="…" resource="…">: the verdict of a policy on a resource, wherever a page shows both.
// Each attribute holds YAML, or `#id` of the element that shows or edits it. Texts reach the page as text.
import init, { apply } from "./index.js";

/** How each verdict looks without its colour, and how it is called. */
const SIGNS = { pass: "✓", fail: "✗", warn: "!", error: "⚠", skip: "⤼" };

const STYLE = `
:host { display: block; font: 14px/1.5 system-ui, sans-serif; color-scheme: light dark; color: var(--podsieve-ink, light-dark(#1b1f24, #e3e7ec)); }
:host([hidden]) { display: none; }
.check { border: 1px solid var(--podsieve-line, light-dark(#dcdfe4, #30363e)); border-radius: 6px; padding: 8px 12px; background: var(--podsieve-surface, light-dark(#fff, #1b1f24)); }
p, ul { margin: 0; padding: 0; } ul { list-style: none; }
li { margin-top: 6px; } li > p { overflow-wrap: anywhere; }
.status { font-weight: 600; } .quiet { color: light-dark(#59626d, #a0a9b4); }
.pass { color: light-dark(#1a7544, #58c98c); } .fail { color: light-dark(#c42b2b, #ff8078); }
.warn { color: light-dark(#8a6000, #e0b344); } .error { color: light-dark(#a8480c, #ff9f66); } .skip { color: light-dark(#59626d, #a0a9b4); }
`;

const make = (name, className, text) => {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  return element;
};

/** The element that an attribute points at, or nothing where it holds the text itself. */
const target = (written) => (/^#\S+$/.test(written.trim()) ? document.getElementById(written.trim().slice(1)) : null);

const textOf = (written) => {
  const found = target(written);
  return found ? (found.value ?? found.textContent) : written;
};

/** Every rule that spoke, as one line with its message. */
function lines(output) {
  const list = make("ul", "", "");
  for (const { resource, policy, rules } of output.results) {
    for (const { rule, status, message } of rules) {
      const line = make("li", "", "");
      const head = make("p", "", "");
      head.append(make("span", `status ${status}`, `${SIGNS[status] ?? "?"} ${status}`));
      head.append(make("span", "", ` ${resource.kind} ${resource.name}: `), make("span", "quiet", `${policy.name}/${rule}`));
      line.append(head);
      if (message) line.append(make("p", "", message));
      list.append(line);
    }
  }
  return list;
}

function summary({ counts, refused, diagnostics, results }) {
  const spoke = Object.entries(counts).filter(([, count]) => count > 0);
  const wrong = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  const refusals = refused.map(({ policy, reason }) => `Kyverno refuses ${policy}: ${reason}`);
  const said = [...new Set([...refusals, ...wrong])];
  if (spoke.length === 0 && said.length === 0) said.push(results.length ? "no rule matches this resource" : "nothing to judge");
  return [spoke.map(([status, count]) => `${count} ${status}`).join(", "), ...said].filter(Boolean);
}

class PodsieveCheck extends (globalThis.HTMLElement ?? Object) {
  static observedAttributes = ["policy", "resource", "host"];

  #watched = new AbortController();
  #round = 0;

  connectedCallback() {
    if (!this.shadowRoot) {
      const root = this.attachShadow({ mode: "open" });
      const style = new CSSStyleSheet();
      style.replaceSync(STYLE);
      root.adoptedStyleSheets = [style];
      const box = make("div", "check", "");
      box.part = "check";
      box.setAttribute("role", "status");
      root.append(box);
    }
    this.#update();
  }

  disconnectedCallback() {
    this.#watched.abort();
  }

  attributeChangedCallback() {
    if (this.isConnected && this.shadowRoot) this.#update();
  }

  /** Judges anew; what it finds is in the event `podsieve-verdict`, as `apply` gives it. */
  async #update() {
    this.#watched.abort();
    this.#watched = new AbortController();
    const written = { policy: this.getAttribute("policy") ?? "", resource: this.getAttribute("resource") ?? "" };
    for (const text of Object.values(written)) {
      target(text)?.addEventListener("input", () => this.#update(), { signal: this.#watched.signal });
    }
    const round = ++this.#round;
    const box = this.shadowRoot.firstElementChild;
    let isLoaded = false;
    try {
      await init();
      isLoaded = true;
      if (round !== this.#round) return;
      const output = apply({
        host: this.getAttribute("host") === "playground" ? "playground" : "cli",
        policies: [{ name: "policy.yaml", text: textOf(written.policy) }],
        resources: [{ name: "resource.yaml", text: textOf(written.resource) }],
      });
      box.replaceChildren(...summary(output).map((text) => make("p", "", text)), lines(output));
      this.dispatchEvent(new CustomEvent("podsieve-verdict", { detail: output, bubbles: true, composed: true }));
    } catch (error) {
      const words = `${isLoaded ? "" : "podsieve could not start: "}${error?.message ?? error}`;
      if (round === this.#round) box.replaceChildren(make("p", "error", words));
    }
  }
}

if (globalThis.customElements && !customElements.get("podsieve-check")) customElements.define("podsieve-check", PodsieveCheck);

export { PodsieveCheck };
