// The left pane: the conversations, after a row for all of them.

import { get } from "./api.js";
import { find, make } from "./dom.js";
import { Grid } from "./grid.js";
import { noteSign, whenNoted } from "./notes.js";
import { choice, choose, whenChosen } from "./state.js";
import { grouped, severities, size, span, visible } from "./words.js";
import { Windows, width } from "./windows.js";

const count = find("conversations-count", HTMLElement);
const match = find("match", HTMLInputElement);
const sort = find("sort", HTMLSelectElement);

/** @type {Windows<Conversation>} */
const windows = new Windows({
  fetch: async (from, many, signal) => {
    const order = choice.sort === "number" ? "up" : "down";
    const query = new URLSearchParams({ from: String(from), count: String(many), sort: choice.sort, order, match: choice.match });
    const answer = await get(`conversations?${query}`, signal);
    setTotal(answer.total);
    return answer;
  },
  arrived: (first, last) => {
    grid.list.refill(first + 1, last + 1);
    markChosen();
  },
  failed: () => {},
});

export const grid = new Grid(find("conversations", HTMLElement), {
  label: "Conversations",
  columns: [
    { name: "number", title: "No." },
    { name: "peer", title: "Server and path" },
    { name: "protocol", title: "Protocol" },
    { name: "messages", title: "Msgs" },
    { name: "bytes", title: "Bytes" },
    { name: "end", title: "End" },
  ],
  fill,
  seen: (first, last) => windows.want(Math.max(0, first - 1), Math.max(0, last - 1)),
  activated: (index) => {
    const conversation = index === 0 ? null : windows.at(index - 1);
    if (conversation === undefined) return;
    choose({ conversation: conversation?.n ?? null, id: null });
  },
  entered: () => find("messages", HTMLElement).focus(),
});

/** @param {number} total */
function setTotal(total) {
  windows.total = total;
  count.textContent = grouped(total);
  grid.setCount(total + 1);
}

/**
 * @param {HTMLElement[]} cells
 * @param {number} index
 * @param {HTMLElement} element
 */
function fill(cells, index, element) {
  const [number, peer, protocol, messages, bytes, end] = cells;
  for (const cell of cells) cell.textContent = "";
  element.removeAttribute("title");
  if (index === 0) {
    element.classList.add("all");
    peer.textContent = "All conversations";
    return;
  }
  const conversation = windows.at(index - 1);
  element.classList.toggle("waiting", !conversation);
  if (!conversation) {
    number.textContent = "…";
    return;
  }
  number.textContent = String(conversation.n);
  const name = noteSign(null, conversation.n) + visible(conversation.name || conversation.server);
  peer.textContent = conversation.path ? `${name} ${visible(conversation.path)}` : name;
  protocol.textContent = visible(conversation.protocol ?? "");
  messages.textContent = grouped(conversation.messages[0] + conversation.messages[1]);
  bytes.textContent = size(conversation.bytes[0] + conversation.bytes[1]);
  if (conversation.worst) {
    const mark = severities[conversation.worst];
    end.append(make("b", `severity ${conversation.worst}`, mark.shape), " ");
  }
  end.append(ending(conversation));
  const duration = conversation.closed ? `, ${span(BigInt(conversation.closed) - BigInt(conversation.opened))}` : "";
  const worst = conversation.worst ? `, ${grouped(conversation.findings)} findings, the worst a ${conversation.worst}` : "";
  element.title = `${conversation.client} → ${conversation.server}${duration}${worst}`;
}

/**
 * How it ended, in a word or two.
 * @param {Conversation} conversation
 */
export function ending(conversation) {
  if (!conversation.how) return conversation.closed ? "" : "open";
  /** @type {Record<string, string>} */
  const words = { "close-frame": "Close", fin: "FIN", reset: "RST", "end-of-capture": "open", timeout: "timeout" };
  return (words[conversation.how] ?? conversation.how) + (conversation.code === null ? "" : ` ${conversation.code}`);
}

/** @returns {Conversation | undefined} where it has been fetched */
export function chosen() {
  for (const list of windows.kept.values()) {
    const found = list.find((conversation) => conversation.n === choice.conversation);
    if (found) return found;
  }
  return undefined;
}

function markChosen() {
  if (choice.conversation === null) return grid.mark(0);
  for (const [number, list] of windows.kept) {
    const place = list.findIndex((conversation) => conversation.n === choice.conversation);
    if (place >= 0) return grid.mark(number * width + place + 1);
  }
}

/** Fetches the list anew. */
export function renew() {
  windows.clear();
  grid.mark(-1);
  grid.list.top = 0;
  grid.setCount(1);
  grid.list.refill();
  windows.fetch(0);
}

let refreshing = 0;
let due = Infinity;
let seen = 0;

/**
 * Messages alone change little in the list.
 * @param {number} total
 * @param {number} others records that are not messages
 */
export function grow(total, others) {
  if (choice.match) return;
  if (total !== windows.total) setTotal(total);
  const pause = others === seen ? 5000 : 1000;
  const now = performance.now();
  seen = others;
  // In another order the rows would change places under the eyes of the user.
  if (choice.sort !== "number" || due <= now + pause) return;
  due = now + pause;
  clearTimeout(refreshing);
  refreshing = window.setTimeout(() => {
    due = Infinity;
    windows.refresh();
  }, pause);
}

whenNoted(() => grid.list.refill());
match.value = choice.match;
sort.value = choice.sort;
if (!sort.value) sort.value = choice.sort = "number";
match.addEventListener("input", () => choose({ match: match.value }));
sort.addEventListener("change", () => choose({ sort: sort.value }));
whenChosen((changed) => {
  if (changed.has("sort") || changed.has("match")) renew();
  if (changed.has("conversation")) markChosen();
});
