// Whether a place of an editor stands in an expression of CEL.
// In: CodeMirror's state and a place. Out: the stretch of the expression, or null.

/** The file comes by itself for texts that hold CEL, and is the same one here. */
const celFields = async (text) => (await import("./colours.js")).celFields(text);

/** The editors whose texts hold expressions. */
const LABELS = ["Policies", "Exceptions", "New policies"];
/** Around a place, so many characters are read. */
const AROUND = 20_000;

/** The expression around a stretch. */
export async function celAt({ doc }, label, pos, end = pos) {
  if (!LABELS.includes(label)) return null;
  const first = doc.lineAt(Math.max(0, pos - AROUND)).from;
  const fields = await celFields(doc.sliceString(first, Math.min(doc.length, end + AROUND)));
  const found = fields.find(({ from, to }) => first + from <= pos && end <= first + to);
  return found ? { from: first + found.from, to: first + found.to } : null;
}

/** Whether a text holds expressions at all. */
export const holdsCel = async (label, text) => LABELS.includes(label) && (await celFields(text)).length > 0;
