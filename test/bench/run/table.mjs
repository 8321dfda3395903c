/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isRecord = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param {unknown} value @returns {value is Record<string, unknown>[]} */
const isRows = (value) => Array.isArray(value) && value.length > 0 && value.every(isRecord);

/** @param {unknown} value */
function cell(value) {
  if (typeof value !== 'number') return isRecord(value) ? JSON.stringify(value) : String(value ?? '');
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

/** @param {Record<string, unknown>[]} rows @returns {string} numbers to the right, words to the left */
function columns(rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => cell(row[name])))];
  const widths = names.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const right = names.map((name) => rows.every((row) => typeof (row[name] ?? 0) === 'number'));
  const pad = (/** @type {string} */ text, /** @type {number} */ at) =>
    right[at] ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0);
  return lines.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}

/**
 * A bench's result for people: a list of records is a table, a record shows each of its entries under its name.
 * @param {unknown} result
 * @returns {string}
 */
export function table(result) {
  if (isRows(result)) return columns(result);
  if (!isRecord(result)) return cell(result);
  return Object.entries(result)
    .map(([name, value]) => (isRows(value) ? `\n${name}\n${columns(value)}` : `${name}: ${cell(value)}`))
    .join('\n');
}
