// The right pane: the chosen row, or the chosen conversation, in parts on tabs.

import { get, isAborted } from "./api.js";
import { compareButton } from "./comparing.js";
import { button, find, make } from "./dom.js";
import { facts, findingList, headerTable, lines, values } from "./facts.js";
import { Payload } from "./hex.js";
import { pageMenu, payloadMenus } from "./handing-on.js";
import { noteButtons, noteText, whenNoted } from "./notes.js";
import { bytesPart, jsonPart, textPart } from "./parts.js";
import { choice, choose, whenChosen } from "./state.js";
import * as messages from "./messages.js";
import { reason } from "./saying.js";
import { moment, sender, size, span } from "./words.js";

/** @typedef {{name: string, make: () => Node | Promise<Node>}} Part */

const head = find("detail-head", HTMLElement);
const tabs = find("tabs", HTMLElement);
const panel = find("detail", HTMLElement);

let life = new AbortController();
/** @type {Conversation | null} */
export let conversation = null;
/** @type {Part[]} */
let parts = [];
let shownPart = "";

/** Shows what is chosen. */
export async function show() {
  life.abort();
  life = new AbortController();
  const { signal } = life;
  try {
    if (choice.conversation !== conversation?.n) {
      conversation = null;
      if (choice.conversation !== null) {
        const got = await get(`conversations/${choice.conversation}`, signal);
        if (signal.aborted) return;
        conversation = got;
      }
      messages.countTimesFrom(conversation?.opened ?? null);
    }
    if (choice.id !== null) await showRow(choice.id, signal);
    else if (conversation) showConversation(conversation);
    else showNothing();
  } catch (error) {
    if (isAborted(error) || signal.aborted) return;
    head.replaceChildren(make("h2", null, "Detail"));
    set([{ name: "Problem", make: () => make("p", "problem", reason(error)) }]);
  }
}

function showNothing() {
  head.replaceChildren(make("h2", null, "Detail"));
  set([]);
  panel.replaceChildren(make("p", "hint", "Choose a conversation or a row."));
}

/**
 * @param {number} id
 * @param {AbortSignal} signal
 */
async function showRow(id, signal) {
  /** @type {Detail} */
  const detail = await get(`records/${id}`, signal);
  if (signal.aborted) return;
  const { record, payload } = detail;
  /** @type {Conversation | null} */
  let owner = conversation;
  if (!owner && record.conversation) owner = await get(`conversations/${record.conversation}`, signal).catch(() => null);
  if (signal.aborted) return;
  const side = record.from === "client" ? 0 : record.from === "server" ? 1 : null;
  const title = make("h2", null, `${record.kind}`);
  const about = [sender(side), payload?.length ? size(payload.length) : "", record.conversation ? `conversation ${record.conversation}` : ""];
  head.replaceChildren(title, make("span", "count", about.filter(Boolean).join(" · ")), make("span", "space"));
  const stored = payload?.kind ? new Payload(id, payload.stored, signal) : null;
  head.append(...noteButtons(id, null), compareButton("rows", id, showDifferences), ...payloadMenus(detail, owner, stored));
  /** @type {Part[]} */
  const list = [{ name: "Overview", make: () => overview(detail) }];
  if (record.headers?.length || record.trailers?.length) {
    list.push({ name: "Headers", make: () => headerTable([...(record.headers ?? []), ...(record.trailers ?? [])]) });
  }
  if (stored && stored.length > 0) {
    if (payload.kind === "text") list.push({ name: "Text", make: () => textPart(stored, payload) });
    if (await looksLikeJSON(stored)) list.push({ name: "JSON", make: () => jsonPart(stored, payload, signal) });
    if (signal.aborted) return;
    list.push({ name: "Bytes", make: () => bytesPart(stored) });
  }
  const decoded = detail.decoded ?? record.decoded;
  // The tree of JSON says the same, with its bytes.
  if (decoded && !(decoded.as === "json" && list.some((part) => part.name === "JSON"))) list.push({ name: "Decoded", make: () => values(decoded) });
  set(list);
}

/**
 * @param {string} title
 * @param {string[]} text
 */
function showDifferences(title, text) {
  head.replaceChildren(make("h2", null, title), make("span", "space"), button("Close", () => void show()));
  set([{ name: "Differences", make: () => make("div", "overview", lines(text)) }]);
}

/** @param {Payload} stored */
async function looksLikeJSON(stored) {
  const first = (await stored.slice(0)).subarray(0, 64);
  const text = new TextDecoder().decode(first).trimStart().replace(/^\ufeff/, "");
  return /^[[{]/.test(text);
}

/** @param {Detail} detail */
function overview(detail) {
  const { record } = detail;
  const all = make("div", "overview", noteText(detail.id, null) ?? "", lines(detail.text));
  const { call } = detail;
  if (call) all.append(button("Go to the call", () => messages.show(call), "more"));
  if (detail.findings?.length) all.append(make("h3", null, "Findings"), findingList(detail.findings));
  else if (record.kind === "finding") all.append(make("h3", null, "Finding"), findingList([record]));
  all.append(make("h3", null, "Record"), facts(record));
  return all;
}

/** @param {Conversation} shown */
function showConversation(shown) {
  head.replaceChildren(make("h2", null, `conversation ${shown.n}`), make("span", "count", `${shown.client} → ${shown.server}`), make("span", "space"),
    ...noteButtons(null, shown.n), compareButton("conversations", shown.n, showDifferences), pageMenu(shown.n));
  /** @type {Part[]} */
  const list = [{ name: "Overview", make: () => conversationOverview(shown) }];
  set(list);
}

/** @param {Conversation} shown */
function conversationOverview(shown) {
  const all = make("div", "overview", noteText(null, shown.n) ?? "", lines(shown.text ?? []));
  const findings = shown.findings_list;
  if (findings?.length) all.append(make("h3", null, "Findings"), findingList(findings));
  const { text: _, findings_list: __, n: ___, ...rest } = /** @type {any} */ (shown);
  if (rest.duration) rest.duration = span(BigInt(rest.duration));
  rest.opened = moment(shown.opened);
  if (shown.closed) rest.closed = moment(shown.closed);
  rest.messages = `${shown.messages[0]} from the client, ${shown.messages[1]} from the server`;
  rest.bytes = `${size(shown.bytes[0])} from the client, ${size(shown.bytes[1])} from the server`;
  all.append(make("h3", null, "Conversation"), facts(rest));
  return all;
}

/**
 * The tabs that are there, with the one that was open before.
 * @param {Part[]} list
 */
function set(list) {
  parts = list;
  tabs.replaceChildren();
  tabs.hidden = list.length < 2;
  for (const part of list) {
    const tab = make("button", "tab", part.name);
    tab.type = "button";
    tab.id = `tab-${part.name}`;
    tab.role = "tab";
    tab.setAttribute("aria-controls", "detail");
    tab.addEventListener("click", () => choose({ tab: part.name }));
    tabs.append(tab);
  }
  shownPart = "";
  if (list.length > 0) void open();
}

/** Opens the tab that is chosen, or the one that says most. */
async function open() {
  const preferred = [choice.tab, "JSON", "Text", "Overview"];
  const part = preferred.map((name) => parts.find((one) => one.name === name)).find((one) => one) ?? parts[0];
  if (!part || shownPart === part.name) return;
  shownPart = part.name;
  for (const tab of tabs.children) {
    const isOpen = tab.textContent === part.name;
    tab.ariaSelected = String(isOpen);
    /** @type {HTMLElement} */ (tab).tabIndex = isOpen ? 0 : -1;
  }
  const { signal } = life;
  if (!tabs.hidden) panel.setAttribute("aria-labelledby", `tab-${part.name}`);
  else panel.removeAttribute("aria-labelledby");
  try {
    const node = await part.make();
    if (signal.aborted || shownPart !== part.name) return;
    panel.replaceChildren(node);
  } catch (error) {
    if (isAborted(error) || signal.aborted) return;
    panel.replaceChildren(make("p", "problem", reason(error)));
  }
  panel.scrollTop = 0;
}

tabs.addEventListener("keydown", (event) => {
  const all = /** @type {HTMLElement[]} */ ([...tabs.children]);
  const at = all.findIndex((tab) => tab === document.activeElement);
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (step === 0 || at < 0) return;
  const next = all[(at + step + all.length) % all.length];
  next.focus();
  next.click();
  event.preventDefault();
});

/**
 * Opens the next tab.
 * @param {number} step
 */
export function turn(step) {
  const at = parts.findIndex((part) => part.name === shownPart);
  if (parts.length > 1) choose({ tab: parts[(at + step + parts.length) % parts.length].name });
}

whenNoted(() => void show());
whenChosen((changed) => {
  if (changed.has("id") || changed.has("conversation")) void show();
  else if (changed.has("tab")) void open();
});
