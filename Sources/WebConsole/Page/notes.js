// Notes and marks on rows and conversations, which the session file keeps.

import { get, post } from "./api.js";
import { button, find, make } from "./dom.js";
import { reason, say } from "./saying.js";
import { visible } from "./words.js";

/** @typedef {{row: number | null, conversation: number | null, text: string, mark: boolean}} Note */

/** @type {Map<string, Note>} */
const notes = new Map();
let isWritable = false;
const dialog = find("note-dialog", HTMLDialogElement);
/** @type {(() => void)[]} */
const listeners = [];

/** @param {() => void} listener is called when there are other notes */
export const whenNoted = (listener) => listeners.push(listener);

/** @param {{row: number | null, conversation: number | null}} about */
const key = ({ row, conversation }) => (row === null ? `c${conversation}` : `r${row}`);

/**
 * The note of a row or of a conversation.
 * @param {number | null} row
 * @param {number | null} conversation
 */
export const noteOf = (row, conversation) => notes.get(key({ row, conversation }));

/**
 * What stands before the text of what has a note.
 * @param {number | null} row
 * @param {number | null} conversation
 */
export function noteSign(row, conversation) {
  const note = noteOf(row, conversation);
  return note ? `${note.mark ? "★" : ""}${note.text ? "✎" : ""} ` : "";
}

/** Fetches all of them. */
export async function load() {
  const { writable, list } = await get("notes");
  isWritable = writable;
  for (const note of list) notes.set(key(note), note);
  for (const listener of listeners) listener();
}

/** @param {Note} note */
async function keep(note) {
  try {
    await post("notes", note);
    if (note.text || note.mark) notes.set(key(note), note);
    else notes.delete(key(note));
    for (const listener of listeners) listener();
  } catch (error) {
    say(`Not kept: ${reason(error)}`);
  }
}

/** @type {() => void} */
export let turnMark = () => say("Nothing is chosen.");
/** @type {() => void} */
export let editNote = () => say("Nothing is chosen.");

/**
 * The buttons for what the detail shows.
 * @param {number | null} row
 * @param {number | null} conversation
 */
export function noteButtons(row, conversation) {
  turnMark = editNote = () => say("This session file takes no notes.");
  if (!isWritable) return [];
  const about = () => noteOf(row, conversation) ?? { row, conversation, text: "", mark: false };
  turnMark = () => void keep({ ...about(), mark: !about().mark });
  editNote = () => edit(about());
  const mark = button(about().mark ? "★ Marked" : "☆ Mark", turnMark);
  mark.ariaPressed = String(about().mark);
  return [mark, button(about().text ? "✎ Note" : "Note", editNote)];
}

/** @param {Note} note */
function edit(note) {
  const title = make("h2", null, note.row === null ? `Note on conversation ${note.conversation}` : `Note on row ${note.row}`);
  title.id = "note-title";
  const area = make("textarea");
  area.value = note.text;
  area.rows = 6;
  area.setAttribute("aria-labelledby", "note-title");
  const done = () => {
    dialog.close();
    void keep({ ...note, text: area.value.trim() });
  };
  area.addEventListener("keydown", (event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && done());
  dialog.replaceChildren(title, area, button("Keep", done), " ", button("Cancel", () => dialog.close()));
  dialog.showModal();
  area.focus();
}

/**
 * The text of a note, for the overview.
 * @param {number | null} row
 * @param {number | null} conversation
 */
export function noteText(row, conversation) {
  const note = noteOf(row, conversation);
  return note?.text ? make("p", "note-text", visible(note.text)) : null;
}
