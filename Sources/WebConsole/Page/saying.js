// The line at the foot: what has just been done, or was not.

import { find } from "./dom.js";

const line = find("note", HTMLElement);
let clearing = 0;

/** @param {unknown} error */
export const reason = (error) => (error instanceof Error ? error.message : String(error));

/**
 * Says something, for a while.
 * @param {string} text
 */
export function say(text) {
  line.textContent = text;
  clearTimeout(clearing);
  clearing = window.setTimeout(() => { line.textContent = ""; }, 6000);
}
