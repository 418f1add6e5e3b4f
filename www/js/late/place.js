// Where a place stands in a YAML text of block style, told by indentation alone: while one types, a syntax tree is in
// pieces just where the cursor is. In: CodeMirror's document and a position. Out: the path of keys to it, and whether a
// key or a value stands there. Lines inside a text block (`|`, `>`) are not keys.

/** So many lines are looked at above and below. */
const FARTHEST = 5000;
const KEY = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s#"'[\]{},|>][^#]*?)) *:(?=\s|$)/;

/** A line: the columns of its dashes, the column behind them, its key and what stands behind that. */
export function shape(text) {
  const [head, blank] = /^(\s*)(?:-(?:\s+|$))*/.exec(text);
  const rest = text.slice(head.length);
  const dashes = [...head].flatMap((sign, column) => (sign === "-" ? [column] : []));
  const found = KEY.exec(rest);
  const key = found && (found[1] ?? found[2] ?? found[3]);
  const after = found ? rest.slice(found[0].length) : rest;
  const valueAt = text.length - after.trimStart().length;
  const isEmpty = rest === "" || rest.startsWith("#");
  return { dashes, indent: blank.length, column: head.length, key, value: after.trim(), valueAt, isEmpty };
}

const isBorder = (text) => /^(---|\.\.\.)(\s|$)/.test(text);

/** The first and the last line of the YAML document that a line is in. */
export function borders(doc, line) {
  let [first, last] = [line, line];
  while (first > 1 && line - first < FARTHEST && !isBorder(doc.line(first).text)) first--;
  while (last < doc.lines && last - line < FARTHEST && !isBorder(doc.line(last + 1).text)) last++;
  return { first, last };
}

/** What the keys at the outermost level of a document say: `{apiVersion, kind, …}`. */
export function heading(doc, { first, last }) {
  const found = {};
  for (let number = first; number <= last; number++) {
    const { key, value, column, dashes } = shape(doc.line(number).text);
    if (key && column === 0 && dashes.length === 0) found[key] = value.replace(/^(["'])(.*)\1$/, "$2");
  }
  return found;
}

/** Goes up from a column of a line and gathers what it stands in; `isText` inside a text block or a value in pieces. */
function ascend(doc, line, column, dashes) {
  let [steps, isText] = [[], false];
  let [limit, mayEqual] = [column, false];
  const passDashes = (list, number) => {
    for (const dash of list.toReversed()) {
      if (dash >= limit) continue;
      steps.unshift({ name: "[]", line: number, column: dash });
      [limit, mayEqual] = [dash, true];
    }
  };
  passDashes(dashes, line);
  for (let number = line - 1; number >= 1 && line - number < FARTHEST && (limit > 0 || mayEqual); number--) {
    const { text } = doc.line(number);
    if (isBorder(text)) break;
    const above = shape(text);
    if (above.isEmpty && above.dashes.length === 0) continue;
    if (above.key !== null && (above.column < limit || (mayEqual && above.column === limit))) {
      // What seemed to be keys and dashes below it are words of a text.
      if (above.value && !/^[&!#]/.test(above.value)) [steps, isText] = [[], true];
      steps.unshift({ name: above.key, line: number, column: above.column });
      [limit, mayEqual] = [above.column, false];
    }
    passDashes(above.dashes, number);
  }
  return { steps, isText };
}

/** The other keys of the map that a line belongs to, with what stands behind them. */
export function neighbours(doc, line, column) {
  const found = new Map();
  const look = (number, step) => {
    for (let n = number + step; n >= 1 && n <= doc.lines && Math.abs(n - number) < FARTHEST; n += step) {
      const { text } = doc.line(n);
      if (isBorder(text)) return;
      const other = shape(text);
      if (other.isEmpty && other.dashes.length === 0) continue;
      // Downwards a dash begins another item; upwards it begins this one.
      if (other.column < column || (step > 0 && other.indent < column)) return;
      if (other.column === column && other.key !== null) found.set(other.key, other.value);
      if (other.indent < column) return;
    }
  };
  const own = shape(doc.line(line).text);
  if (own.indent === own.column) look(line, -1);
  look(line, 1);
  return found;
}

/**
 * @returns {null | {path: string[], steps: object[], isText: boolean, isKey: boolean, key: string | null, from: number}}
 *   `path` leads to the map of a key, or to the value; `from` is where what stands there begins; null in a remark
 */
export function placeAt(doc, pos) {
  const line = doc.lineAt(pos);
  const own = shape(line.text);
  const column = pos - line.from;
  if (/(^|\s)#/.test(line.text.slice(0, column).replace(/"[^"]*"|'[^']*'/g, "")) || isBorder(line.text)) return null;
  const isKey = own.key === null || column < own.valueAt - (own.value ? 0 : 1);
  // On an empty line the cursor says how deep it is.
  const depth = own.isEmpty ? Math.max(column, own.dashes.length > 0 ? own.column : 0) : own.column;
  const { steps, isText } = ascend(doc, line.number, depth, own.dashes);
  if (isText) return { path: steps.map(({ name }) => name), steps, isText, isKey: false, key: null, from: pos };
  const others = neighbours(doc, line.number, depth);
  if (isKey) {
    const path = steps.map(({ name }) => name);
    return { path, steps, isText, isKey, key: own.key, from: line.from + Math.min(depth, column), others, column: depth, isFresh: own.isEmpty && own.dashes.length > 0 };
  }
  steps.push({ name: own.key, line: line.number, column: own.column });
  const path = steps.map(({ name }) => name);
  // A list in one line: the item at the cursor.
  const before = line.text.slice(own.valueAt, column);
  const inList = /^\[[^\]]*$/.test(before);
  const item = inList ? /[^,[]*$/.exec(before)[0].trimStart() : before.trimStart();
  if (inList) path.push("[]");
  return { path, steps, isText, isKey, key: own.key, from: pos - item.length, others, column: own.column };
}
