// <podsieve-check policy="…" resource="…">: the verdict of a policy on a resource, wherever a page shows both.
// Each attribute holds YAML, or `#id` of the element that shows or edits it. Texts reach the page as text.

/** Milliseconds that one verdict may take, and that a worker may take to load the engine. */
const [LIMIT, START] = [5000, 60_000];
/** What answers in a thread of its own. */
const THREAD = "./element-worker.js";
/** Characters of a message that are shown, and rules. */
const [LONGEST, MOST] = [2000, 200];

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

/** A worker, also where the package comes from another place than the page; rejected where the page forbids both. */
async function start() {
  const isOurs = new URL(import.meta.url).origin === location.origin;
  const begin = () => {
    // The name stands here in full, as bundlers look for it.
    if (isOurs) return new Worker(new URL("./element-worker.js", import.meta.url), { type: "module" });
    const source = `import ${JSON.stringify(new URL(THREAD, import.meta.url).href)};`;
    return new Worker(URL.createObjectURL(new Blob([source], { type: "text/javascript" })), { type: "module" });
  };
  const worker = begin();
  try {
    await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => (data.isReady ? resolve() : reject());
      worker.onerror = reject;
      setTimeout(reject, START);
    });
  } catch (error) {
    worker.terminate();
    throw error;
  }
  return worker;
}

/** Answers in the page itself, where it allows no worker. */
const beside = async (input) => {
  const { default: init, apply } = await import("./index.js");
  await init();
  return apply(input);
};

let worker = null;
let last = Promise.resolve();

async function ask(input) {
  worker ??= start();
  const thread = await worker.catch(() => null);
  if (!thread) return beside(input);
  const renew = (why) => {
    thread.terminate();
    worker = null;
    return new Error(why);
  };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(renew(`stopped after ${LIMIT / 1000} seconds`)), LIMIT);
    thread.onmessage = ({ data: { output, failure } }) => {
      clearTimeout(timer);
      if (output) resolve(output);
      else reject(new Error(failure));
    };
    thread.onerror = ({ message }) => {
      clearTimeout(timer);
      reject(renew(message || "the worker stopped"));
    };
    thread.postMessage(input);
  });
}

/** One question after another, of all elements; `isWanted` tells whether somebody still waits when its turn comes. */
function evaluatedOutput(input, isWanted) {
  const answer = last.then(() => (isWanted() ? ask(input) : null));
  last = answer.catch(() => {});
  return answer;
}

const clipped = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length - LONGEST} more characters)` : text);

const make = (name, className, text) => {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = clipped(text);
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
  let left = MOST;
  for (const { resource, policy, rules } of output.results) {
    for (const { rule, status, message } of rules) {
      if (--left < 0) continue;
      const line = make("li", "", "");
      const head = make("p", "", "");
      head.append(make("span", `status ${status}`, `${SIGNS[status] ?? "?"} ${status}`));
      head.append(make("span", "", ` ${resource.kind} ${resource.name}: `), make("span", "quiet", `${policy.name}/${rule}`));
      line.append(head);
      if (message) line.append(make("p", "", message));
      list.append(line);
    }
  }
  if (left < 0) list.append(make("li", "quiet", `and ${-left} more rules`));
  return list;
}

function summary({ counts, refused, diagnostics, results }) {
  const spoke = Object.entries(counts).filter(([, count]) => count > 0);
  const wrong = diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
  const refusals = refused.map(({ policy, reason }) => `Kyverno refuses ${policy}: ${reason}`);
  const said = [...new Set([...refusals, ...wrong])].slice(0, MOST);
  if (spoke.length === 0 && said.length === 0) said.push(results.length ? "no rule matches this resource" : "nothing to evaluate");
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

  /** Evaluates anew; what it finds is in the event `podsieve-verdict`, as `apply` gives it. */
  async #update() {
    this.#watched.abort();
    this.#watched = new AbortController();
    const written = { policy: this.getAttribute("policy") ?? "", resource: this.getAttribute("resource") ?? "" };
    for (const text of Object.values(written)) {
      target(text)?.addEventListener("input", () => this.#update(), { signal: this.#watched.signal });
    }
    const round = ++this.#round;
    const box = this.shadowRoot.firstElementChild;
    try {
      const input = {
        host: this.getAttribute("host") === "playground" ? "playground" : "cli",
        policies: [{ name: "policy.yaml", text: textOf(written.policy) }],
        resources: [{ name: "resource.yaml", text: textOf(written.resource) }],
      };
      const isWanted = () => round === this.#round;
      const output = await evaluatedOutput(input, isWanted);
      if (!isWanted()) return;
      box.replaceChildren(...summary(output).map((text) => make("p", "", text)), lines(output));
      this.dispatchEvent(new CustomEvent("podsieve-verdict", { detail: output, bubbles: true, composed: true }));
    } catch (error) {
      if (round === this.#round) box.replaceChildren(make("p", "error", `podsieve: ${error?.message ?? error}`));
    }
  }
}

if (globalThis.customElements && !customElements.get("podsieve-check")) customElements.define("podsieve-check", PodsieveCheck);

export { PodsieveCheck };
