// Where JMESPath stands in a text, and its parts: `{{ … }}` in any scalar of YAML, over one or more lines, and the
// values of the fields that hold an expression without braces.
// In: a text. Out: [{from, to, closed, tokens: [{from, to, kind}]}], where kind is `name`, `function`, `string`,
// `literal` or `sign`. An expression that is not closed ends with its line.

/** One token each: texts in quotes (YAML doubles them or puts a backslash before them), literals, names, the rest. */
const TOKEN = /\\"(?:(?!\\").)*\\"|"(?:[^"\\\n]|\\.)*"|''[^'\n]*''|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\\n]|\\.)*`|-?\d+|[A-Za-z_]\w*|\s+|[^]/gy;
/** An expression may be this long. */
const LONGEST = 4000;

function kindOf(token, next) {
  if (/^[A-Za-z_]/.test(token)) return next === "(" ? "function" : "name";
  if (token.length > 1 && /^\\?["']/.test(token)) return "string";
  return /^(`.|-?\d)/.test(token) ? "literal" : "sign";
}

/** The tokens of an expression one after another, without blanks. */
export function* tokens(text, start = 0) {
  const part = text.slice(start, start + LONGEST);
  for (const { 0: token, index } of part.matchAll(TOKEN)) {
    const to = index + token.length;
    if (token.trim()) yield { from: start + index, to: start + to, kind: kindOf(token, part[to]) };
  }
}

/** The expression that begins here. */
function expression(text, from) {
  const start = from + 2;
  const found = [{ from, to: start, kind: "sign" }];
  let [depth, line] = [0, Infinity];
  for (const token of tokens(text, start)) {
    const sign = text[token.from];
    const isDouble = text[token.from + 1] === sign;
    if (line === Infinity && /\n/.test(text.slice(found.at(-1).to, token.from))) line = found.length;
    if (sign === "}" && isDouble && depth === 0) {
      const to = token.from + 2;
      return { from, to, closed: true, tokens: [...found, { from: token.from, to, kind: "sign" }] };
    }
    // Another one begins on a later line: this one was never closed.
    if (sign === "{" && isDouble && line < Infinity) break;
    if (sign === "{") depth++;
    if (sign === "}") depth = Math.max(0, depth - 1);
    found.push(token);
  }
  const length = text.slice(start, start + LONGEST).search(/\n|$/);
  return { from, to: start + length, closed: false, tokens: found.slice(0, line) };
}

/** All expressions of a text. */
export function expressions(text) {
  const found = [];
  for (let at = text.indexOf("{{"); at >= 0; at = text.indexOf("{{", found.at(-1).to)) found.push(expression(text, at));
  return found;
}

/** The tokens of fields whose value is an expression as a whole, as far as it stands in their line. */
export function fields(text) {
  const found = [];
  for (const match of text.matchAll(/^[ \t]*(?:- +)*(?:jmesPath|list): +(["']?)(?![|>{[&*!#])(.+?)\1[ \t]*$/gm)) {
    const [line, , value] = match;
    if (value.includes("{{")) continue;
    const at = match.index + line.lastIndexOf(value);
    for (const { from, to, kind } of tokens(value)) found.push({ from: at + from, to: at + to, kind });
  }
  return found;
}
