// Two rows, or two conversations, beside each other.

import { get } from "./api.js";
import { button } from "./dom.js";
import { say } from "./saying.js";

/** @type {{kind: string, id: number} | null} */
let held = null;
export let compare = () => say("Nothing is chosen.");

/**
 * The button for what the detail shows.
 * @param {"rows" | "conversations"} kind
 * @param {number} id
 * @param {(title: string, text: string[]) => void} show
 */
export function compareButton(kind, id, show) {
  const noun = kind === "rows" ? "row" : "conversation";
  const other = held?.kind === kind && held.id !== id ? held.id : null;
  compare = () => {
    if (other === null) {
      held = { kind, id };
      say(`Held ${noun} ${id}: choose another ${noun} and compare it.`);
      return;
    }
    held = null;
    get(`differences/${kind}?old=${other}&new=${id}`).then(({ text }) => show(`${noun} ${other} → ${id}`, text), (error) => say(error.message));
  };
  const element = button(other === null ? "Compare" : `Compare with ${other}`, () => compare());
  element.ariaKeyShortcuts = "e";
  return element;
}
