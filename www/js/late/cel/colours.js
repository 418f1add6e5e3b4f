// Where CEL stands in a text of YAML, and its parts: the fields that hold an expression, however the scalar is written, and the
// placeholders of templates. Loaded once a text holds one.
// In: a text. Out: [{from, to, tokens: [{from, to, kind}]}], the kinds as in expressions.js.

/** Keys whose value is an expression, at the beginning of a line or within braces. */
const KEY = /(^[ \t]*(?:- +)*|[{,] *)(["']?)(?:expression|messageExpression|valueExpression)\2:(?=[ \t\n])[ \t]*/gm;
/** An expression may be this long. */
const LONGEST = 20_000;
/** The blanks and dashes before a key. */
const indentOf = (line) => /^[ \t]*(?:- +)*/.exec(line)[0].length;

/** So far a block or a plain scalar reaches: over the lines that are deeper than its key. */
function below(text, from, column) {
  let end = text.indexOf("\n", from);
  while (end >= 0 && end - from < LONGEST) {
    const next = text.indexOf("\n", end + 1);
    const line = text.slice(end + 1, next < 0 ? text.length : next);
    if (line.trim() !== "" && /^ */.exec(line)[0].length <= column) return end;
    if (next < 0) return text.length;
    end = next;
  }
  return end < 0 ? text.length : end;
}

/** The value that begins here: where its words are, and which sign quotes it. */
function value(text, from, column, isInBraces) {
  const sign = text[from];
  if (sign === '"' || sign === "'") {
    const end = sign === '"' ? /\\[^]|(")/g : /''|(')/g;
    end.lastIndex = from + 1;
    for (let found; (found = end.exec(text)) && found.index - from < LONGEST; ) {
      if (found[1]) return { from: from + 1, to: found.index, sign };
    }
    // Not closed yet: it ends with its line.
    const line = text.indexOf("\n", from);
    return { from: from + 1, to: line < 0 ? text.length : line, sign };
  }
  if (isInBraces) return { from, to: from + /^[^,{}[\]\n]*/.exec(text.slice(from, from + LONGEST))[0].length, sign: "" };
  const to = below(text, from, column);
  if (!/[|>]/.test(sign ?? "")) return { from, to, sign: "" };
  const line = text.indexOf("\n", from);
  return { from: line < 0 ? text.length : Math.min(to, line + 1), to, sign: "" };
}

/** Texts in quotes, as the scalar around them lets them be written. */
const TEXTS = {
  "": String.raw`[rR]?[bB]?(?:"""[^]*?"""|'''[^]*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`,
  "'": String.raw`[rR]?[bB]?(?:"(?:[^"\\\n]|\\.)*"|''(?:[^'\\\n]|\\.)*'')`,
  '"': String.raw`[rR]?[bB]?(?:\\"(?:(?!\\")[^\n])*\\"|'(?:[^'\n])*')`,
};
const REST = String.raw`|\/\/[^\n]*|\d[\w.]*|[A-Za-z_]\w*|\s+|[^]`;
const TOKEN = Object.fromEntries(Object.entries(TEXTS).map(([sign, texts]) => [sign, new RegExp(texts + REST, "gy")]));
const WORDS = /^(?:true|false|null|in)$/;

function kindOf(token, next) {
  if (/^[A-Za-z_]\w*$/.test(token)) return WORDS.test(token) ? "literal" : next === "(" ? "function" : "name";
  if (/["']$/.test(token) && token.length > 1) return "string";
  return /^\d/.test(token) ? "literal" : token.startsWith("//") ? "string" : "sign";
}

function* tokens(text, { from, to, sign }) {
  const part = text.slice(from, to);
  for (const { 0: token, index } of part.matchAll(TOKEN[sign])) {
    if (token.trim()) yield { from: from + index, to: from + index + token.length, kind: kindOf(token, part[index + token.length]) };
  }
}

/** In a template of objects: what stands between double parentheses. */
const PLACEHOLDER = /(\\?)\(\(((?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|(?!\)\))[^\n])*)/g;
/** The key whose value is such a template, and the line beside it that says so. */
const TEMPLATE = /^([ \t]*(?:- +)*)value:(?=[ \t\n])[ \t]*/gm;
const INTERPOLATES = /^[ \t]*(?:- +)*interpolate: *["']?cel\b/;
/** The line that says so stands so near. */
const BESIDE = 200;

/** Whether a line beside a key says so: one before the first that is less deep. */
function says(lines, column) {
  const end = lines.findIndex((line) => line.trim() && indentOf(line) < column);
  return lines.slice(0, end < 0 ? lines.length : end).some((line) => indentOf(line) === column && INTERPOLATES.test(line));
}

/** The expressions in templates. */
function* templates(text) {
  if (!text.includes("interpolate:")) return;
  TEMPLATE.lastIndex = 0;
  for (let match; (match = TEMPLATE.exec(text)); ) {
    const from = match.index + match[0].length;
    const words = value(text, from, match[1].length, false);
    TEMPLATE.lastIndex = Math.max(TEMPLATE.lastIndex, words.to);
    const before = text.slice(Math.max(0, match.index - BESIDE), match.index).split("\n").reverse();
    const behind = text.slice(words.to, words.to + BESIDE).split("\n").slice(1);
    if (![before, behind].some((lines) => says(lines, match[1].length))) continue;
    for (const { 1: escape, 2: inner, index } of text.slice(words.from, words.to).matchAll(PLACEHOLDER)) {
      const start = words.from + index + escape.length + 2;
      if (!escape) yield { from: start, to: start + inner.length, sign: words.sign, template: words };
    }
  }
}

/** All expressions of a text. */
export function celFields(text) {
  const inTemplates = [...templates(text)];
  const found = [];
  KEY.lastIndex = 0;
  for (let match; (match = KEY.exec(text)); ) {
    const from = match.index + match[0].length;
    const start = text.lastIndexOf("\n", match.index + match[1].length - 1) + 1;
    const isInBraces = /^[{,]/.test(match[1]);
    const words = value(text, from, indentOf(text.slice(start, match.index + match[1].length)), isInBraces);
    KEY.lastIndex = Math.max(KEY.lastIndex, words.to);
    // What a template writes is a text.
    if (inTemplates.some(({ template }) => template.from <= from && from < template.to)) continue;
    found.push({ from: words.from, to: words.to, tokens: [...tokens(text, words)] });
  }
  for (const { from, to, sign } of inTemplates) found.push({ from, to, tokens: [...tokens(text, { from, to, sign })] });
  return found.sort((a, b) => a.from - b.from);
}
