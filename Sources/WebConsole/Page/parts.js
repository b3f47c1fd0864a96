// The parts of a payload: text, JSON with bytes, bytes.

import { make } from "./dom.js";
import { Hex, slice } from "./hex.js";
import { JSONTree } from "./json-tree.js";
import { NotJSON, readJSON } from "./json.js";
import { grouped, size } from "./words.js";

/** @typedef {import("./hex.js").Payload} Payload */

const longestJSON = 16 << 20;

/** @param {{length: number, stored: number}} about */
function truncation(about) {
  if (about.length <= about.stored) return null;
  return make("p", "hint", `${size(about.stored)} of ${size(about.length)} are stored.`);
}

/**
 * The text, a slice of 64 KiB at a time.
 * @param {Payload} payload
 * @param {{length: number, stored: number}} about
 */
export async function textPart(payload, about) {
  const decoder = new TextDecoder();
  const all = make("div", "text");
  const pre = make("pre", "payload");
  const more = make("button", "more");
  more.type = "button";
  let next = 0;
  const append = async () => {
    const from = next * slice;
    const isLast = from + slice >= payload.length;
    pre.append(decoder.decode(await payload.slice(next), { stream: !isLast }));
    next += 1;
    more.hidden = isLast;
    more.textContent = `Show more (${grouped(payload.length - next * slice)} bytes)`;
  };
  more.addEventListener("click", () => void append());
  await append();
  all.append(pre, more);
  const note = truncation(about);
  if (note) all.append(note);
  return all;
}

/** @param {Payload} payload */
export function bytesPart(payload) {
  return new Hex(payload, () => {}).element;
}

/**
 * The tree above, its bytes below: each selects in the other.
 * @param {Payload} payload
 * @param {{length: number, stored: number}} about
 * @param {AbortSignal} signal
 */
export async function jsonPart(payload, about, signal) {
  if (payload.length > longestJSON) return make("p", "hint", `JSON of more than ${size(longestJSON)} is shown as text.`);
  try {
    const read = await readJSON(await payload.whole(), signal);
    const hex = new Hex(payload, (byte) => {
      const range = tree.activateByte(byte);
      if (range) hex.mark(range[0], range[1]);
    });
    const tree = new JSONTree(read, (start, end) => hex.mark(start, end));
    return make("div", "halves", tree.element, hex.element);
  } catch (error) {
    if (!(error instanceof NotJSON)) throw error;
    const hint = make("p", "hint", `This is not JSON: ${error.message} at byte ${grouped(error.offset)}.`);
    return make("div", null, hint, await textPart(payload, about));
  }
}
