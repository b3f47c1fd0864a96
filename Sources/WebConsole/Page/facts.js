// Tables and lists of the detail: keys, headers, findings, the lines of the text.

import { make } from "./dom.js";
import { severities, visible } from "./words.js";

/**
 * What `unmask read` prints.
 * @param {string[]} text
 */
export function lines(text) {
  return make("pre", "lines", text.map(visible).join("\n"));
}

/**
 * The words of a value on one line, or a table of its own.
 * @param {any} value
 * @param {number} depth
 * @returns {Node | string}
 */
function shown(value, depth) {
  if (value === null || value === undefined) return "";
  if (typeof value !== "object") return visible(String(value));
  if (Array.isArray(value)) {
    if (value.every((one) => typeof one !== "object")) return visible(value.map(String).join(", "));
    if (depth > 6) return visible(JSON.stringify(value));
    const list = make("ul", "values");
    for (const one of value.slice(0, 200)) list.append(make("li", null, shown(one, depth + 1)));
    if (value.length > 200) list.append(make("li", null, `${value.length - 200} more`));
    return list;
  }
  return depth > 6 ? visible(JSON.stringify(value)) : values(value, depth + 1);
}

/**
 * A table of keys and values.
 * @param {any} object
 * @param {number} [depth]
 */
export function values(object, depth = 0) {
  if (typeof object !== "object" || object === null || Array.isArray(object)) return make("div", "facts", shown(object, depth + 1));
  const list = make("dl", "facts");
  for (const [key, value] of Object.entries(object).slice(0, 400)) {
    if (value === null || value === undefined) continue;
    list.append(make("dt", null, visible(key)), make("dd", null, shown(value, depth)));
  }
  return list;
}

/**
 * A record without what has a place of its own.
 * @param {Record<string, any>} record
 */
export function facts(record) {
  const { headers: _, trailers: __, decoded: ___, text: ____, base64: _____, ...rest } = record;
  return values(rest);
}

/** @param {[string, string][]} headers */
export function headerTable(headers) {
  const body = make("tbody", null);
  for (const [name, value] of headers) {
    const title = make("th", null, visible(name));
    title.scope = "row";
    body.append(make("tr", null, title, make("td", null, visible(value))));
  }
  const names = make("th", null, "Name");
  const texts = make("th", null, "Value");
  names.scope = texts.scope = "col";
  return make("table", "headers", make("thead", null, make("tr", null, names, texts)), body);
}

/** @param {any[]} findings */
export function findingList(findings) {
  const list = make("ul", "findings");
  for (const finding of findings.slice(0, 200)) {
    const mark = severities[finding.severity] ?? severities.note;
    const entry = make("li", null, make("b", `severity ${finding.severity ?? "note"}`, `${mark.shape} ${mark.word}`), " ");
    entry.append(make("code", null, visible(finding.id ?? finding.finding ?? "")));
    if (finding.detail) entry.append(make("p", null, visible(finding.detail)));
    if (finding.reference) entry.append(make("p", "reference", visible(finding.reference)));
    list.append(entry);
  }
  if (findings.length > 200) list.append(make("li", null, `${findings.length - 200} more`));
  return list;
}
