// The filter: completed as it is written, applied with Enter or a pause, its mistake marked at its column.

import { Refused, isAborted, post } from "./api.js";
import { find, make } from "./dom.js";
import { choice, choose, whenChosen } from "./state.js";
import * as view from "./view.js";

const box = find("filter", HTMLInputElement);
const list = find("filter-list", HTMLUListElement);
const problem = find("filter-error", HTMLElement);
const marks = find("filter-marks", HTMLElement);

let asking = new AbortController();
let timer = 0;
/** Which candidate is marked; -1 for none. */
let marked = -1;

/** The word that the caret is in. */
function word() {
  const end = box.selectionStart ?? box.value.length;
  const start = /[\w.-]*$/.exec(box.value.slice(0, end))?.index ?? end;
  return { start, end };
}

function close() {
  asking.abort();
  list.hidden = true;
  marked = -1;
  box.ariaExpanded = "false";
  box.removeAttribute("aria-activedescendant");
}

async function complete() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const { end } = word();
  if (box.value.slice(0, end).trim() === "") return close();
  try {
    const { candidates } = await post("complete", { text: box.value.slice(0, end) }, signal);
    if (signal.aborted || document.activeElement !== box) return;
    show(candidates.slice(0, 12));
  } catch (error) {
    if (!isAborted(error)) close();
  }
}

/** @param {string[]} candidates */
function show(candidates) {
  if (candidates.length === 0) return close();
  marked = -1;
  list.replaceChildren(...candidates.map((candidate, index) => {
    const entry = make("li", null, candidate);
    entry.id = `filter-candidate-${index}`;
    entry.role = "option";
    entry.ariaSelected = "false";
    entry.addEventListener("mousedown", (event) => {
      event.preventDefault();
      accept(candidate);
    });
    return entry;
  }));
  list.hidden = false;
  box.ariaExpanded = "true";
}

/** @param {number} index */
function mark(index) {
  const entries = [...list.children];
  marked = (index + entries.length) % entries.length;
  entries.forEach((entry, number) => entry.setAttribute("aria-selected", String(number === marked)));
  entries[marked].scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", entries[marked].id);
}

/** @param {string} candidate the whole text, or the word at the caret */
function accept(candidate) {
  const { start, end } = word();
  const before = box.value.slice(0, end);
  const replaced = candidate.startsWith(before) && before.length > end - start ? candidate : box.value.slice(0, start) + candidate;
  const rest = box.value.slice(end);
  box.value = replaced + rest;
  box.setSelectionRange(replaced.length, replaced.length);
  close();
  changed();
}

function apply() {
  clearTimeout(timer);
  const text = box.value.trim();
  if (choice.filter !== text) choose({ filter: text });
  else if (!problem.hidden) void view.renew();
}

function changed() {
  clearTimeout(timer);
  explain(null);
  timer = window.setTimeout(apply, 400);
}

/**
 * Shows what is wrong, and where.
 * @param {Refused | null} error
 */
function explain(error) {
  box.ariaInvalid = String(error !== null);
  box.classList.toggle("wrong", error !== null);
  problem.hidden = error === null;
  marks.replaceChildren();
  if (!error) return;
  const at = error.column === null ? "" : `column ${error.column}: `;
  problem.textContent = `▲ ${at}${error.message}`;
  if (error.column === null) return;
  const signs = [...box.value];
  const start = Math.max(0, Math.min(signs.length, error.column - 1));
  const part = signs.slice(start, start + Math.max(1, error.length)).join("") || " ";
  marks.append(signs.slice(0, start).join(""), make("mark", null, part));
  marks.scrollLeft = box.scrollLeft;
}

box.value = choice.filter;
box.addEventListener("input", () => {
  changed();
  void complete();
});
box.addEventListener("scroll", () => { marks.scrollLeft = box.scrollLeft; });
box.addEventListener("blur", close);
box.addEventListener("keydown", (event) => {
  const isOpen = !list.hidden;
  if (event.key === "ArrowDown" && isOpen) mark(marked + 1);
  else if (event.key === "ArrowUp" && isOpen) mark(marked < 0 ? -1 : marked - 1);
  else if (event.key === "Tab" && isOpen && !event.shiftKey) accept(list.children[Math.max(0, marked)].textContent ?? "");
  else if (event.key === "Enter" && isOpen && marked >= 0) accept(list.children[marked].textContent ?? "");
  else if (event.key === "Enter") {
    close();
    apply();
  } else if (event.key === "Escape" && isOpen) close();
  else if (event.key === "Escape") {
    box.value = "";
    explain(null);
    apply();
    find("messages", HTMLElement).focus();
  } else return;
  event.preventDefault();
  event.stopPropagation();
});

view.whenRefused(explain);
whenChosen((keys) => {
  if (keys.has("filter") && box.value.trim() !== choice.filter) {
    box.value = choice.filter;
    explain(null);
  }
});
