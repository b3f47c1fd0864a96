// The keys of the page, and the list of them that `?` shows.

import * as comparing from "./comparing.js";
import * as conversations from "./conversations.js";
import * as detail from "./detail.js";
import * as handing from "./handing-on.js";
import { button, find, make } from "./dom.js";
import * as notes from "./notes.js";
import { choice, choose } from "./state.js";

/** @param {string} id */
const focus = (id) => () => find(id, HTMLElement).focus();

/** @type {{keys: string, does: string, action?: () => void}[]} */
const commands = [
  { keys: "?", does: "show this list", action: () => openHelp() },
  { keys: "/", does: "go to the filter", action: () => select("filter") },
  { keys: "f", does: "go to the search", action: () => select("search") },
  { keys: "c", does: "go to the conversations", action: focus("conversations") },
  { keys: "m", does: "go to the messages", action: focus("messages") },
  { keys: "d", does: "go to the detail", action: focus("detail") },
  { keys: "t", does: "go to the timeline", action: focus("picture") },
  { keys: "w", does: "go to the reply that took longest", action: () => find("slowest", HTMLElement).click() },
  { keys: "a", does: "show all conversations", action: () => choose({ conversation: null, id: null }) },
  { keys: "[", does: "open the part of the detail to the left", action: () => detail.turn(-1) },
  { keys: "]", does: "open the part of the detail to the right", action: () => detail.turn(1) },
  { keys: "y", does: "copy the row as …", action: () => handing.openCopies() },
  { keys: "b", does: "mark what the detail shows, or take the mark away", action: () => notes.turnMark() },
  { keys: "n", does: "write a note on it", action: () => notes.editNote() },
  { keys: "e", does: "hold it, then compare another with it", action: () => comparing.compare() },
  { keys: "s", does: "save the payload, or the conversation", action: () => handing.savePayload() },
  { keys: "h", does: "show or hide heartbeats", action: () => choose({ heartbeats: !choice.heartbeats }) },
  { keys: "l", does: "follow the newest row, or stop following", action: () => choose({ follow: !choice.follow }) },
  { keys: "i", does: "show statistics", action: () => find("statistics-button", HTMLElement).click() },
];

/** What works inside a list, a tree, the bytes, the timeline. */
const inside = [
  ["↓ ↑ or j k", "next row, row before"],
  ["Page Down, Page Up", "a page on, a page back"],
  ["Home, End", "first row, last row"],
  ["0 to 9", "0 % to 90 % of the list"],
  ["Enter", "on to the next pane"],
  ["→ ←", "in JSON: open and close; in bytes: next, before"],
  ["Shift → ←, Enter", "in the timeline: choose a time, apply it"],
  ["Tab, Enter", "in the filter: accept a completion, apply"],
  ["Escape", "clear the filter, the search, the time"],
];

/** @param {string} id */
function select(id) {
  const box = find(id, HTMLInputElement);
  box.focus();
  box.select();
}

const help = find("help", HTMLDialogElement);

function openHelp() {
  if (help.open) return help.close();
  const title = make("h2", null, "Keys");
  title.id = "help-title";
  const list = make("dl", "keys");
  for (const { keys, does } of commands) list.append(make("dt", null, make("kbd", null, keys)), make("dd", null, does));
  for (const [keys, does] of inside) list.append(make("dt", null, make("kbd", null, keys)), make("dd", null, does));
  help.replaceChildren(title, list, button("Close", () => help.close()));
  help.showModal();
}

find("help-button", HTMLElement).addEventListener("click", openHelp);

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  const target = event.target;
  if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return;
  if (document.querySelector("dialog[open]") && event.key !== "?") return;
  const command = commands.find(({ keys }) => keys === event.key);
  if (!command?.action) return;
  event.preventDefault();
  command.action();
});

conversations.grid.element.ariaKeyShortcuts = "c";
find("messages", HTMLElement).setAttribute("aria-keyshortcuts", "m");
