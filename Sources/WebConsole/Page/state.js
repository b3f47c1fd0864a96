// What is chosen: the filter, the conversation, the row. It is kept in the fragment beside the token, so that a reload or a copied
// address shows the same.

import { token } from "./api.js";

/** @type {Choice} */
const defaults = {
  conversation: null, filter: "", search: "", heartbeats: true, since: null, until: null, kinds: "all", id: null, follow: false, tab: "",
  sort: "number", match: "",
};

/** The name of each key in the fragment. */
const names = /** @type {Record<keyof Choice, string>} */ ({
  conversation: "c", filter: "f", search: "q", heartbeats: "hb", since: "from", until: "to", kinds: "k", id: "row", follow: "follow",
  tab: "tab", sort: "sort", match: "m",
});

/**
 * @param {keyof Choice} key
 * @param {string} text
 */
function parsed(key, text) {
  switch (key) {
    case "conversation":
    case "id": return /^\d{1,15}$/.test(text) ? Number(text) : null;
    case "since":
    case "until": return /^\d{1,20}$/.test(text) ? text : null;
    case "heartbeats":
    case "follow": return text === "1";
    case "kinds": return text === "messages" ? "messages" : "all";
    default: return text;
  }
}

/** @returns {Choice} what the fragment says */
export function fromFragment() {
  const choice = /** @type {any} */ ({ ...defaults });
  const parameters = new URLSearchParams(location.hash.split("&").slice(1).join("&"));
  for (const key of /** @type {(keyof Choice)[]} */ (Object.keys(names))) {
    const text = parameters.get(names[key]);
    if (text !== null) choice[key] = parsed(key, text);
  }
  return choice;
}

/** @param {Choice} choice */
function toFragment(choice) {
  const parameters = new URLSearchParams();
  for (const key of /** @type {(keyof Choice)[]} */ (Object.keys(names))) {
    const value = choice[key];
    if (value === defaults[key] || value === null) continue;
    parameters.set(names[key], typeof value === "boolean" ? String(Number(value)) : String(value));
  }
  const text = parameters.toString();
  history.replaceState(null, "", `#${token()}${text && "&"}${text}`);
}

/** @type {Choice} */
export const choice = fromFragment();

/** @type {((changed: Set<keyof Choice>) => void)[]} */
const listeners = [];

/** @param {(changed: Set<keyof Choice>) => void} listener is called with the keys that changed */
export function whenChosen(listener) {
  listeners.push(listener);
}

/** @param {Partial<Choice>} change */
export function choose(change) {
  /** @type {Set<keyof Choice>} */
  const changed = new Set();
  for (const key of /** @type {(keyof Choice)[]} */ (Object.keys(change))) {
    if (choice[key] === change[key]) continue;
    /** @type {any} */ (choice)[key] = change[key];
    changed.add(key);
  }
  if (changed.size === 0) return;
  toFragment(choice);
  for (const listener of listeners) listener(changed);
}
