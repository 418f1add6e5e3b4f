// What the lists and hovers of the editor show of a name, as elements; words in back-ticks stand out.

/** An element with a class and what is in it. */
export function element(tag, name, ...inside) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...inside.filter(Boolean));
  return made;
}

/** A sentence, its words in back-ticks as code. */
export function prose(text) {
  const parts = text.split(/`([^`]*)`/).map((part, at) => (at % 2 ? element("code", "", part) : part));
  return element("p", "", ...parts);
}

/** A first line in the editor's letters, then paragraphs. */
export function card(title, ...paragraphs) {
  return element("div", "cm-card", element("p", "cm-card-title", title), ...paragraphs);
}

/** A function: how it is called, what it does, examples with their values. */
export function functionCard({ signature, doc, examples }) {
  const rows = examples.slice(0, 3).map(({ expression, value }) =>
    element("div", "", element("code", "", expression), element("span", "cm-card-value", `→ ${value}`)));
  return card(signature, prose(doc), element("div", "cm-card-examples", ...rows));
}
