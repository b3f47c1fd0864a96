// swift-format-ignore-file
// Written by `make assets` from the files under Page; edit those. table: a row for each file.

/// The files of the page, which the program carries with it.
enum Assets {
    /// One file by its name, with its media type; nil for any other name.
    static func file(named name: String) -> (type: String, bytes: StaticString)? {
        switch name {
        case "api.js": ("text/javascript; charset=utf-8", apiJs)
        case "comparing.js": ("text/javascript; charset=utf-8", comparingJs)
        case "conversations.js": ("text/javascript; charset=utf-8", conversationsJs)
        case "copies.js": ("text/javascript; charset=utf-8", copiesJs)
        case "detail.css": ("text/css; charset=utf-8", detailCss)
        case "detail.js": ("text/javascript; charset=utf-8", detailJs)
        case "dividers.js": ("text/javascript; charset=utf-8", dividersJs)
        case "dom.js": ("text/javascript; charset=utf-8", domJs)
        case "facts.js": ("text/javascript; charset=utf-8", factsJs)
        case "filter-box.js": ("text/javascript; charset=utf-8", filterBoxJs)
        case "grid.css": ("text/css; charset=utf-8", gridCss)
        case "grid.js": ("text/javascript; charset=utf-8", gridJs)
        case "handing-on.js": ("text/javascript; charset=utf-8", handingOnJs)
        case "hex.js": ("text/javascript; charset=utf-8", hexJs)
        case "index.html": ("text/html; charset=utf-8", indexHtml)
        case "json-tree.js": ("text/javascript; charset=utf-8", jsonTreeJs)
        case "json.js": ("text/javascript; charset=utf-8", jsonJs)
        case "keys.js": ("text/javascript; charset=utf-8", keysJs)
        case "layout.css": ("text/css; charset=utf-8", layoutCss)
        case "main.js": ("text/javascript; charset=utf-8", mainJs)
        case "menu.js": ("text/javascript; charset=utf-8", menuJs)
        case "messages.js": ("text/javascript; charset=utf-8", messagesJs)
        case "notes.js": ("text/javascript; charset=utf-8", notesJs)
        case "parts.js": ("text/javascript; charset=utf-8", partsJs)
        case "run.js": ("text/javascript; charset=utf-8", runJs)
        case "saying.js": ("text/javascript; charset=utf-8", sayingJs)
        case "state.js": ("text/javascript; charset=utf-8", stateJs)
        case "statistics.js": ("text/javascript; charset=utf-8", statisticsJs)
        case "switches.js": ("text/javascript; charset=utf-8", switchesJs)
        case "theme.css": ("text/css; charset=utf-8", themeCss)
        case "timeline.js": ("text/javascript; charset=utf-8", timelineJs)
        case "view.js": ("text/javascript; charset=utf-8", viewJs)
        case "virtual-list.js": ("text/javascript; charset=utf-8", virtualListJs)
        case "windows.js": ("text/javascript; charset=utf-8", windowsJs)
        case "words.js": ("text/javascript; charset=utf-8", wordsJs)
        default: nil
        }
    }

    /// What a browser fetches with the page (Link, RFC 8288): all modules at once.
    static let preload = "</api.js>; rel=modulepreload, </comparing.js>; rel=modulepreload, </conversations.js>; rel=modulepreload, </copies.js>; rel=modulepreload, </detail.js>; rel=modulepreload, </dividers.js>; rel=modulepreload, </dom.js>; rel=modulepreload, </facts.js>; rel=modulepreload, </filter-box.js>; rel=modulepreload, </grid.js>; rel=modulepreload, </handing-on.js>; rel=modulepreload, </hex.js>; rel=modulepreload, </json-tree.js>; rel=modulepreload, </json.js>; rel=modulepreload, </keys.js>; rel=modulepreload, </main.js>; rel=modulepreload, </menu.js>; rel=modulepreload, </messages.js>; rel=modulepreload, </notes.js>; rel=modulepreload, </parts.js>; rel=modulepreload, </run.js>; rel=modulepreload, </saying.js>; rel=modulepreload, </state.js>; rel=modulepreload, </statistics.js>; rel=modulepreload, </switches.js>; rel=modulepreload, </timeline.js>; rel=modulepreload, </view.js>; rel=modulepreload, </virtual-list.js>; rel=modulepreload, </windows.js>; rel=modulepreload, </words.js>; rel=modulepreload"

    private static let apiJs: StaticString = #"""
// The requests to the server. Every one carries the token of the page's fragment, which is kept nowhere else.

/** @returns {string} the token: what the fragment has before its first `&` */
export function token() {
  return location.hash.slice(1).split("&", 1)[0];
}

/** What the server refused, with the column of a filter. */
export class Refused extends Error {
  /**
   * @param {number} status
   * @param {{error?: string, column?: number, length?: number}} body
   */
  constructor(status, body) {
    super(body.error ?? `the server responded with ${status}`);
    this.status = status;
    this.column = body.column ?? null;
    this.length = body.length ?? 1;
  }
}

/** @param {unknown} error */
export function isAborted(error) {
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * @param {string} path
 * @param {{body?: unknown, signal?: AbortSignal}} [options]
 */
async function request(path, options) {
  const { body, signal } = options ?? {};
  /** @type {Record<string, string>} */
  const headers = { Authorization: `Bearer ${token()}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(`/api/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal,
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
  });
  if (response.ok) return response;
  throw new Refused(response.status, await response.json().catch(() => ({})));
}

/**
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function get(path, signal) {
  return (await request(path, { signal })).json();
}

/**
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function post(path, body, signal) {
  return (await request(path, { body, signal })).json();
}

/** @param {string} path */
export async function file(path) {
  return (await request(path)).blob();
}

/**
 * A part of a payload.
 * @param {number} id
 * @param {number} from
 * @param {number} count
 * @param {AbortSignal} [signal]
 * @returns {Promise<Uint8Array>}
 */
export async function bytes(id, from, count, signal) {
  const response = await request(`payloads/${id}?from=${from}&count=${count}`, { signal });
  return new Uint8Array(await response.arrayBuffer());
}

"""#

    private static let comparingJs: StaticString = #"""
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

"""#

    private static let conversationsJs: StaticString = #"""
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

"""#

    private static let copiesJs: StaticString = #"""
// What a row is copied as, quoted for where it goes.

/**
 * A word for bash or zsh, without controls.
 * @param {string} text
 */
export function shell(text) {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (!/[\0-\x1f\x7f-\x9f]/.test(text)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `$'${text.replace(/['\\\0-\x1f\x7f-\x9f]/g, (sign) => `\\u00${digits(sign.charCodeAt(0))}`)}'`;
}

/** @param {Uint8Array} bytes */
export function base64(bytes) {
  let text = "";
  for (let from = 0; from < bytes.length; from += 0x6000) text += String.fromCharCode(...bytes.subarray(from, from + 0x6000));
  return btoa(text);
}

/** @param {number} byte */
const digits = (byte) => byte.toString(16).padStart(2, "0");

/** @param {Uint8Array} bytes */
export const hexadecimal = (bytes) => Array.from(bytes, digits).join(" ");

/**
 * @param {Uint8Array} bytes
 * @returns {string | null} null where they are no text
 */
export function utf8(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** @param {Conversation | null} conversation */
const isSecure = (conversation) => conversation?.tls ?? conversation?.server.endsWith(":443") ?? false;

/**
 * @param {Subject} subject
 * @param {"http" | "ws"} scheme
 */
function url({ detail, conversation }, scheme) {
  const { record } = detail;
  /** @type {[string, string][]} */
  const headers = record.headers ?? [];
  const named = headers.find(([name]) => /^(host|:authority)$/i.test(name))?.[1];
  const host = named ?? record.host ?? conversation?.name ?? conversation?.server ?? "localhost";
  const target = record.target ?? conversation?.path ?? "/";
  if (/^https?:\/\//i.test(target)) return target;
  const port = /:\d+$/.exec(conversation?.server ?? "")?.[0] ?? "";
  const needsPort = named === undefined && !/:\d+$/.test(host) && port !== ":80" && port !== ":443";
  return `${scheme}${isSecure(conversation) ? "s" : ""}://${host}${needsPort ? port : ""}${target.startsWith("/") ? target : `/${target}`}`;
}

/** Headers that a client makes by itself. */
const own = /^(host|content-length|connection|upgrade|sec-websocket-.*|transfer-encoding|:.*)$/i;

/** @param {Subject} subject */
function curl(subject) {
  const { record } = subject.detail;
  const words = ["curl", "-i"];
  const to = url(subject, "http");
  if (/[[{]/.test(to)) words.push("-g");
  if (/\/(\.|%2e){1,2}([/?]|$)/i.test(to)) words.push("--path-as-is");
  if (record.method === "HEAD") words.push("-I");
  else if (record.method && record.method !== "GET") words.push("-X", shell(record.method));
  for (const [name, value] of record.headers ?? []) {
    if (!own.test(name)) words.push("-H", shell(value ? `${name}: ${value}` : `${name};`));
    if (/^(content-length|transfer-encoding)$/i.test(name) && value !== "0") words.push("--data-binary", "@SAVED-BODY");
  }
  words.push(shell(to));
  return words.join(" ");
}

/** @param {Subject} subject */
function websocat(subject) {
  const text = utf8(subject.bytes);
  const address = shell(url(subject, "ws"));
  if (subject.detail.record.kind !== "message") return `websocat ${address}`;
  if (text !== null && !text.includes("\0") && subject.detail.record.opcode !== "binary") {
    return `printf %s ${shell(text)} | websocat -n1 ${address}`;
  }
  return `printf %s ${shell(base64(subject.bytes))} | base64 -d | websocat -b -n1 ${address}`;
}

/**
 * A literal of Swift: JSON's, but for escapes by number.
 * @param {string} text
 */
export function swiftString(text) {
  let literal = '"';
  for (const sign of text) {
    const code = sign.codePointAt(0) ?? 0;
    if (sign === '"' || sign === "\\") literal += `\\${sign}`;
    else if (sign === "\n") literal += "\\n";
    else if (sign === "\r") literal += "\\r";
    else if (sign === "\t") literal += "\\t";
    else if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069)) {
      literal += `\\u{${code.toString(16)}}`;
    } else literal += sign;
  }
  return `${literal}"`;
}

/** @param {Subject} subject */
function swift({ bytes }) {
  const text = utf8(bytes);
  if (text !== null) return `let payload = Data(${swiftString(text)}.utf8)`;
  return `let payload = Data([${Array.from(bytes, (byte) => `0x${digits(byte)}`).join(", ")}])`;
}

/** @param {Subject} subject */
function python({ bytes }) {
  let literal = "";
  for (const byte of bytes) {
    if (byte === 0x5c || byte === 0x22) literal += `\\${String.fromCharCode(byte)}`;
    else if (byte === 0x0a) literal += "\\n";
    else if (byte === 0x0d) literal += "\\r";
    else if (byte === 0x09) literal += "\\t";
    else if (byte >= 0x20 && byte < 0x7f) literal += String.fromCharCode(byte);
    else literal += `\\x${digits(byte)}`;
  }
  return `payload = b"${literal}"`;
}

/** @param {Subject} subject */
function command({ detail, files }) {
  const { record } = detail;
  const words = ["unmask", "read", ...files.map(shell)];
  if (record.conversation) words.push("--conversation", String(record.conversation));
  if (record.time) words.push("--since", shell(record.time), "-Y", shell(`frame.time == "${record.time}"`));
  return words.join(" ");
}

/** @param {Subject} subject */
function recordJSON({ detail, bytes }) {
  const text = utf8(bytes);
  const payload = detail.payload?.kind ? (text === null ? { base64: base64(bytes) } : { text }) : {};
  return JSON.stringify({ ...detail.record, ...payload }, null, 2);
}

/**
 * In the order of the menu.
 * @type {{name: string, fits?: (detail: Detail) => boolean, made: (subject: Subject) => string}[]}
 */
export const ways = [
  { name: "Line as printed", made: ({ detail }) => detail.text.join("\n") },
  { name: "Text", fits: hasPayload, made: ({ bytes }) => new TextDecoder().decode(bytes) },
  { name: "JSON record", made: recordJSON },
  { name: "Hex", fits: hasPayload, made: ({ bytes }) => hexadecimal(bytes) },
  { name: "Base64", fits: hasPayload, made: ({ bytes }) => base64(bytes) },
  { name: "curl", fits: (detail) => detail.record.kind === "request", made: curl },
  { name: "websocat", fits: (detail) => ["message", "upgrade"].includes(detail.record.kind), made: websocat },
  { name: "Swift", fits: hasPayload, made: swift },
  { name: "Python", fits: hasPayload, made: python },
  { name: "unmask read …", made: command },
];

/** @param {Detail} detail */
export function hasPayload(detail) {
  return detail.payload?.kind !== null && detail.payload?.kind !== undefined && detail.payload.stored > 0;
}

"""#

    private static let detailCss: StaticString = #"""
/* The detail: tabs, the text as printed, tables, text, JSON, bytes. */

#tabs { display: flex; gap: 2px; padding: 0 8px; flex: none; background: var(--panel); border-bottom: var(--edge); }
.tab { border: 0; border-radius: 0; background: none; height: 26px; color: var(--dim); border-bottom: 2px solid transparent; }
.tab[aria-selected="true"] { color: var(--text); border-bottom-color: var(--accent); font-weight: 600; }
#detail { flex: 1; min-height: 0; overflow: auto; display: flex; flex-direction: column; outline-offset: -2px; }
#detail-head h2 { text-transform: none; }

textarea { display: block; font: var(--ui); color: var(--text); background: var(--back); border: var(--edge); border-radius: 4px; width: min(520px, 80vw); padding: 6px 8px; margin-bottom: 10px; }
.note-text { white-space: pre-wrap; overflow-wrap: anywhere; border-left: 3px solid var(--accent); padding: 4px 10px; margin-bottom: 8px; }
.overview { padding: 10px 12px; }
.lines { font: var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; padding: 8px 10px; background: var(--panel); border: var(--edge); border-radius: 4px; }
.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 14px; font: var(--mono); }
.facts dt { color: var(--dim); }
.facts dd { overflow-wrap: anywhere; }
div.facts { display: block; padding: 10px 12px; }
dl.facts:not(dd dl, .overview dl) { padding: 10px 12px; }
.headers { border-collapse: collapse; font: var(--mono); margin: 8px 12px; }
.headers th, .headers td { text-align: left; vertical-align: top; padding: 2px 14px 2px 0; border-bottom: var(--edge); }
.headers th { font-weight: 600; white-space: nowrap; }
.headers thead th { color: var(--dim); font-weight: 400; }
.headers td { overflow-wrap: anywhere; }
.findings li { padding: 4px 0; }
.findings code { font: var(--mono); }
.findings .reference { color: var(--dim); }

.text { padding: 8px 12px; }
.payload { font: var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
.more { margin: 8px 0; }

.halves { display: flex; flex-direction: column; flex: 1; min-height: 0; }
.halves .json { flex: 3; }
.halves .hex { flex: 2; border-top: var(--edge); }
.json, .hex { font: var(--mono); }
.node { height: 20px; line-height: 20px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; padding-right: 8px; }
.node:hover, .hex .bytes:hover { background: var(--hover); }
.node.active { background: var(--idle); }
.json:focus .node.active { background: var(--active); }
.twist { display: inline-block; width: 18px; text-align: center; }
.node .key { font-weight: 600; white-space: pre; }
.node .value.string { color: var(--string); }
.node .value.number { color: var(--client); }
.node .value.word { color: var(--word); }
.node .value:is(.object, .array), .twist { color: var(--dim); }
.hex .bytes { height: 18px; line-height: 18px; white-space: pre; padding: 0 10px; }
.hex .bytes span { display: inline-block; }
.hex .offset { color: var(--dim); margin-right: 14px; }
.hex .digits { min-width: 48ch; margin-right: 14px; }
.hex.narrow .digits { min-width: 23ch; }

.statistics { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(380px, 100%), 1fr)); gap: 4px 28px; width: min(840px, 86vw); }
.bars { display: flex; align-items: flex-end; gap: 1px; height: 110px; border-bottom: var(--edge); }
.bar { flex: 1; min-width: 0; max-width: 48px; height: 100%; display: flex; flex-direction: column; justify-content: flex-end; }
.bar .client { background: var(--client); }
.bar .server { background: var(--server); }
.bar:hover { background: var(--hover); }
.ends { display: flex; justify-content: space-between; font-size: 11px; color: var(--dim); }
.numbers { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.numbers th { font-size: 11px; font-weight: 400; color: var(--dim); }
.numbers th, .numbers td { text-align: right; padding: 2px 8px 2px 0; border-bottom: var(--edge); }
.numbers th:first-child, .numbers td:first-child { text-align: left; overflow-wrap: anywhere; }

"""#

    private static let detailJs: StaticString = #"""
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

"""#

    private static let dividersJs: StaticString = #"""
// The dividers between the panes: dragged, or moved with keys.

import { find } from "./dom.js";

const panes = find("panes", HTMLElement);

/**
 * @param {string} id
 * @param {string} property of the pane's width, in pixels
 * @param {1 | -1} way 1 where the pane is to the left
 * @param {string} pane
 */
function divider(id, property, way, pane) {
  const element = find(id, HTMLElement);
  const width = () => Math.round(find(pane, HTMLElement).getBoundingClientRect().width);
  /** @param {number} pixels */
  const set = (pixels) => {
    const within = Math.max(120, Math.min(panes.clientWidth - 300, Math.round(pixels)));
    panes.style.setProperty(property, `${within}px`);
    describe();
  };
  const describe = () => {
    element.ariaValueMin = "120";
    element.ariaValueMax = String(Math.max(120, panes.clientWidth - 300));
    element.ariaValueNow = String(width());
  };
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    const [from, before] = [event.clientX, width()];
    /** @param {PointerEvent} moved */
    const move = (moved) => set(before + way * (moved.clientX - from));
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", () => element.removeEventListener("pointermove", move), { once: true });
    event.preventDefault();
  });
  element.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 16 : event.key === "ArrowLeft" ? -16 : 0;
    if (step === 0) return;
    set(width() + way * step);
    event.preventDefault();
  });
  element.addEventListener("dblclick", () => panes.style.removeProperty(property));
  describe();
}

divider("divider-left", "--left", 1, "conversations-pane");
divider("divider-right", "--right", -1, "detail-pane");

"""#

    private static let domJs: StaticString = #"""
// Making elements. Text from the wire only ever becomes a text node: nothing on this page reads a string as HTML.

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string | null} [className]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/**
 * The element with an id of index.html.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function find(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`index.html has no ${id}`);
  return element;
}

/**
 * @param {string} label
 * @param {() => void} action
 * @param {string} [className]
 */
export function button(label, action, className) {
  const element = make("button", className ?? null, label);
  element.type = "button";
  element.addEventListener("click", action);
  return element;
}

"""#

    private static let factsJs: StaticString = #"""
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

"""#

    private static let filterBoxJs: StaticString = #"""
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

"""#

    private static let gridCss: StaticString = #"""
/* The lists: rows of one height, cells in columns, one active row. */

.grid { font-size: 12px; }
.grid:focus-visible { outline: none; }
.grid .extent, .grid .layer { top: 24px; }
.head-group { position: sticky; top: 0; z-index: 2; background: var(--back); }
.viewport { flex: 1; min-height: 0; overflow-x: hidden; overflow-y: auto; position: relative; contain: strict; overflow-anchor: none; outline-offset: -2px; }
.extent { position: absolute; top: 0; left: 0; width: 1px; visibility: hidden; }
.layer { position: absolute; top: 0; left: 0; right: 0; will-change: transform; }

.row { display: grid; align-items: center; height: 22px; padding: 0 8px 0 6px; column-gap: 9px; border-left: 3px solid transparent; white-space: nowrap; font-variant-numeric: tabular-nums; }
.row.head { height: 24px; color: var(--dim); font-size: 11px; border-bottom: var(--edge); }
.layer .row:hover { background: var(--hover); }
.row.active { background: var(--idle); border-left-color: var(--dim); }
.grid:focus-within .row.active { background: var(--active); border-left-color: var(--accent); }
.cell { overflow: hidden; text-overflow: ellipsis; }

#messages .row { grid-template-columns: 34px 88px 56px 62px 50px minmax(0, 1fr); }
#messages.one .row { grid-template-columns: 66px 56px 62px 50px minmax(0, 1fr); }
#messages.one .conversation { display: none; }
#messages .conversation, #messages .bytes, #messages .time { text-align: right; }
#messages .layer .conversation, #messages .layer .bytes { color: var(--dim); }
#messages .layer .text, #messages .layer .time { font: var(--mono); }
#messages .client .from { color: var(--client); }
#messages .server .from { color: var(--server); }
#messages .neither .kind { color: var(--dim); }
#messages .layer .violation .text { color: var(--violation); }
#messages .layer .warning .text { color: var(--warning); }

#conversations .row { grid-template-columns: 36px minmax(0, 1fr) 72px 52px 52px 92px; column-gap: 8px; }
#conversations .number, #conversations .messages, #conversations .bytes { text-align: right; }
#conversations .layer .number { color: var(--dim); }
#conversations .all .peer { font-weight: 600; grid-column: 2 / -1; }
#conversations .all .cell:not(.number, .peer) { display: none; }

@media (max-width: 1500px) {
  #conversations .row { column-gap: 7px; grid-template-columns: 26px minmax(0, 1fr) 36px 90px; }
  #conversations .protocol, #conversations .bytes { display: none; }
}

@media (max-width: 1100px) {
  #conversations .row { column-gap: 7px; grid-template-columns: 26px minmax(0, 1fr) 90px; }
  #conversations .messages { display: none; }
}

"""#

    private static let gridJs: StaticString = #"""
// A grid over a VirtualList: its head, one active row, true row counts.

import { make } from "./dom.js";
import { VirtualList } from "./virtual-list.js";

const rowHeight = 22;
const headHeight = 24;

export class Grid {
  /**
   * @param {HTMLElement} element
   * @param {Content} content
   */
  constructor(element, content) {
    this.element = element;
    this.content = content;
    this.active = -1;
    element.role = "grid";
    element.ariaLabel = content.label;
    element.ariaColCount = String(content.columns.length);
    element.ariaReadOnly = "true";
    element.tabIndex = 0;
    this.head = this.makeHead();
    element.classList.add("viewport");
    element.append(this.head);
    this.list = new VirtualList(element, {
      height: rowHeight,
      inset: headHeight,
      make: () => this.makeRow(),
      fill: (row, index) => this.fill(row, index),
      seen: content.seen,
    });
    this.list.layer.role = "rowgroup";
    element.addEventListener("keydown", (event) => this.pressed(event));
    element.addEventListener("mousedown", (event) => this.clicked(event));
    element.addEventListener("dblclick", () => this.active >= 0 && content.entered?.(this.active));
  }

  makeHead() {
    const row = this.makeRow("columnheader");
    row.classList.add("head");
    row.ariaRowIndex = "1";
    this.content.columns.forEach(({ title }, index) => { row.children[index].textContent = title; });
    const group = make("div", "head-group", row);
    group.role = "rowgroup";
    return group;
  }

  makeRow(role = "gridcell") {
    const row = make("div", "row");
    row.role = "row";
    for (const { name } of this.content.columns) {
      const cell = make("span", `cell ${name}`);
      cell.role = role;
      row.append(cell);
    }
    return row;
  }

  /**
   * The number of rows, without the head.
   * @param {number} count
   */
  setCount(count) {
    this.element.ariaRowCount = String(count + 1);
    this.list.setCount(count);
    if (this.active >= count) this.mark(-1);
  }

  /**
   * @param {HTMLElement} row
   * @param {number} index
   */
  fill(row, index) {
    row.id = `${this.element.id}-${index}`;
    row.className = "row";
    row.ariaRowIndex = String(index + 2);
    this.content.fill(/** @type {HTMLElement[]} */ ([...row.children]), index, row);
    this.show(row, index);
  }

  /**
   * @param {HTMLElement} row
   * @param {number} index
   */
  show(row, index) {
    const isActive = index === this.active;
    row.classList.toggle("active", isActive);
    row.ariaSelected = String(isActive);
    if (isActive) this.element.setAttribute("aria-activedescendant", row.id);
  }

  /**
   * Makes a row the active one without telling anybody.
   * @param {number} index
   */
  mark(index) {
    this.active = index;
    for (const [number, row] of this.list.shown) this.show(row, number);
    if (index < 0 || !this.list.shown.has(index)) this.element.removeAttribute("aria-activedescendant");
  }

  /**
   * Makes a row the active one, in view.
   * @param {number} index
   * @param {boolean} [byHand] whether the user did
   */
  activate(index, byHand = true) {
    if (this.list.count === 0) return;
    const row = Math.max(0, Math.min(this.list.count - 1, index));
    this.list.reveal(row);
    this.mark(row);
    this.content.activated(row, byHand);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    if (event.button !== 0 || !(event.target instanceof Element)) return;
    const row = event.target.closest(".row");
    if (!row) return;
    event.preventDefault();
    this.element.focus({ preventScroll: true });
    for (const [index, element] of this.list.shown) if (element === row) return this.activate(index);
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.altKey || event.metaKey) return;
    const page = Math.max(1, Math.floor(this.list.height / rowHeight) - 1);
    const last = this.list.count - 1;
    /** @type {Record<string, number>} */
    const targets = {
      ArrowDown: this.active + 1, j: this.active + 1, ArrowUp: this.active - 1, k: this.active - 1, PageDown: this.active + page,
      PageUp: this.active - page, Home: 0, End: last,
    };
    if (event.key === "Enter" && this.active >= 0) {
      this.content.entered?.(this.active);
    } else if (event.key in targets && !(event.ctrlKey && event.key.length === 1)) {
      this.activate(targets[event.key]);
    } else if (/^[0-9]$/.test(event.key) && !event.ctrlKey) {
      this.activate(Math.round((Number(event.key) / 10) * last));
    } else {
      return;
    }
    event.preventDefault();
  }
}

"""#

    private static let handingOnJs: StaticString = #"""
// The buttons of a row: copy it in a form, save its payload.

import { file } from "./api.js";
import { hasPayload, ways } from "./copies.js";
import { button, make } from "./dom.js";
import { menu } from "./menu.js";
import { run } from "./run.js";
import { reason, say } from "./saying.js";

const mostCopied = 8 << 20;

/** @param {string} text */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  if (!isDone) throw new Error("the browser refused to copy");
}

/**
 * Opens the menu of the row that is shown.
 * @type {() => void}
 */
export let openCopies = () => {};
/** @type {() => void} */
export let savePayload = () => {};

/**
 * @param {Detail} detail
 * @param {Conversation | null} conversation
 * @param {import("./hex.js").Payload | null} payload
 */
export function payloadMenus(detail, conversation, payload) {
  /** @param {typeof ways[number]} way */
  const hand = async (way) => {
    try {
      const bytes = payload ? await payload.whole(mostCopied) : new Uint8Array();
      const files = run.saved ? [run.saved] : run.inputs;
      await copy(way.made({ detail, bytes, conversation, files }));
      const cut = payload && payload.length > mostCopied ? ", the first 8 MiB" : "";
      say(`Copied: ${way.name}${cut}`);
    } catch (error) {
      say(`Not copied: ${reason(error)}`);
    }
  };
  const copies = menu("Copy", () => ways
    .filter((way) => way.fits?.(detail) ?? true)
    .map((way) => ({ name: way.name, action: () => void hand(way) })), "y");
  openCopies = copies.open;
  savePayload = () => say("This row has no payload.");
  if (!payload || !hasPayload(detail)) return [copies.holder];
  savePayload = () => void save(detail, payload);
  const saving = button("Save", savePayload);
  saving.ariaKeyShortcuts = "s";
  saving.title = "Save the payload to a file";
  return [copies.holder, saving];
}

/**
 * @param {Detail} detail
 * @param {import("./hex.js").Payload} payload
 */
const save = (detail, payload) => download(`message-${detail.id}.bin`,
  async () => new Blob([await payload.whole()], { type: "application/octet-stream" }));

/**
 * @param {string} name
 * @param {() => Promise<Blob>} content
 */
async function download(name, content) {
  try {
    const address = URL.createObjectURL(await content());
    const link = make("a");
    link.href = address;
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
  } catch (error) {
    say(`Not saved: ${reason(error)}`);
  }
}

/** @param {number} number of the conversation that is saved as an HTML file */
export function pageMenu(number) {
  const entry = (/** @type {string} */ name, /** @type {number} */ redact) => ({
    name,
    action: () => void download(`conversation-${number}.html`, () => file(`conversations/${number}/page?redact=${redact}`)),
  });
  const pages = menu("Save", () => [entry("HTML file", 0), entry("HTML file, redacted", 1)], "s");
  savePayload = pages.open;
  return pages.holder;
}

"""#

    private static let hexJs: StaticString = #"""
// The bytes of a payload, fetched in slices of 64 KiB as they come into view.

import { bytes, isAborted } from "./api.js";
import { make } from "./dom.js";
import { VirtualList } from "./virtual-list.js";

const height = 18;
export const slice = 65536;
const mostSlices = 16;

const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** @param {number} byte */
export const ascii = (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".");

/** A payload whose slices are fetched when they are needed. */
export class Payload {
  /**
   * @param {number} id
   * @param {number} length of what is stored
   * @param {AbortSignal} signal
   */
  constructor(id, length, signal) {
    this.id = id;
    this.length = length;
    this.signal = signal;
    /** @type {Map<number, Uint8Array>} */
    this.slices = new Map();
    /** @type {Map<number, Promise<Uint8Array>>} */
    this.underway = new Map();
  }

  /**
   * @param {number} number of a slice
   * @returns {Promise<Uint8Array>}
   */
  async slice(number) {
    const kept = this.slices.get(number);
    if (kept) return kept;
    const asked = this.underway.get(number);
    if (asked) return asked;
    const promise = bytes(this.id, number * slice, Math.min(slice, this.length - number * slice), this.signal);
    this.underway.set(number, promise);
    try {
      const got = await promise;
      this.slices.set(number, got);
      for (const old of this.slices.keys()) {
        if (this.slices.size <= mostSlices) break;
        if (old !== number) this.slices.delete(old);
      }
      return got;
    } finally {
      this.underway.delete(number);
    }
  }

  /**
   * @param {number} [most]
   * @returns {Promise<Uint8Array>} the payload, or its beginning
   */
  async whole(most = this.length) {
    const length = Math.min(most, this.length);
    const all = new Uint8Array(length);
    for (let from = 0; from < length; from += slice) {
      all.set((await this.slice(from / slice)).subarray(0, length - from), from);
    }
    return all;
  }
}

export class Hex {
  /**
   * @param {Payload} payload
   * @param {(byte: number) => void} selected is called with the byte that was chosen
   */
  constructor(payload, selected) {
    this.payload = payload;
    this.selected = selected;
    /** The range that is marked. */
    this.range = [0, 0];
    this.active = -1;
    this.element = make("div", "hex viewport");
    this.element.id = "hex";
    this.element.tabIndex = 0;
    this.element.role = "listbox";
    this.element.ariaLabel = "Bytes in hexadecimal and ASCII";
    this.list = new VirtualList(this.element, { height, make: () => this.makeRow(), fill: (row, index) => void this.fill(row, index) });
    this.element.addEventListener("click", (event) => this.clicked(event));
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    /** Bytes on a line: as many as there is room for. */
    this.across = 16;
    this.list.setCount(Math.ceil(payload.length / this.across));
    new ResizeObserver(() => this.resized()).observe(this.element);
  }

  /** Puts 16 bytes on a line, or 8 where the pane is narrow. */
  resized() {
    const wanted = this.element.clientWidth < 590 ? 8 : 16;
    if (this.element.clientWidth === 0 || wanted === this.across) return;
    const first = Math.floor(this.list.top / height) * this.across;
    this.across = wanted;
    this.element.classList.toggle("narrow", wanted === 8);
    this.list.setCount(Math.ceil(this.payload.length / wanted));
    this.list.moveTo(Math.floor(first / wanted) * height);
    this.list.refill();
  }

  makeRow() {
    const row = make("div", "bytes", ...["offset", "digits", "ascii"].map((name) => make("span", name)));
    row.role = "option";
    return row;
  }

  /**
   * @param {HTMLElement} row
   * @param {number} index
   */
  async fill(row, index) {
    const from = index * this.across;
    row.id = `hex-${index}`;
    row.dataset.row = String(index);
    row.ariaSelected = String(this.active >= from && this.active < from + this.across);
    const [offset, hexadecimal, text] = /** @type {HTMLElement[]} */ ([...row.children]);
    offset.textContent = from.toString(16).padStart(8, "0");
    const number = Math.floor(from / slice);
    let part = this.payload.slices.get(number);
    if (!part) {
      hexadecimal.textContent = "…";
      text.textContent = "";
      try {
        part = await this.payload.slice(number);
      } catch (error) {
        if (!isAborted(error) && row.dataset.row === String(index)) hexadecimal.textContent = "could not be fetched";
        return;
      }
      if (row.dataset.row !== String(index)) return;
    }
    const values = part.subarray(from % slice, (from % slice) + this.across);
    this.write(hexadecimal, from, values, (byte, place) => (place === 8 ? "  " : place > 0 ? " " : "") + digits[byte]);
    this.write(text, from, values, ascii);
  }

  /**
   * Writes bytes into an element, some of them marked.
   * @param {HTMLElement} element
   * @param {number} from
   * @param {Uint8Array} values
   * @param {(byte: number, place: number) => string} written
   */
  write(element, from, values, written) {
    const start = Math.max(0, Math.min(values.length, this.range[0] - from));
    const end = Math.max(start, Math.min(values.length, this.range[1] - from));
    /**
     * @param {number} first
     * @param {number} last
     */
    const joined = (first, last) => {
      let text = "";
      for (let place = first; place < last; place += 1) text += written(values[place], place);
      return text;
    };
    if (start === end) {
      element.textContent = joined(0, values.length);
      return;
    }
    let marked = joined(start, end);
    const lead = marked.length - marked.trimStart().length;
    const gap = element.className === "digits" ? marked.slice(0, lead) : "";
    if (gap) marked = marked.slice(lead);
    element.replaceChildren(joined(0, start) + gap, make("mark", null, marked), joined(end, values.length));
  }

  /**
   * Marks a range of bytes and has it in view.
   * @param {number} start
   * @param {number} end
   */
  mark(start, end) {
    this.range = [start, end];
    this.active = start;
    this.list.reveal(Math.floor(start / this.across));
    this.list.refill();
    this.element.setAttribute("aria-activedescendant", `hex-${Math.floor(start / this.across)}`);
  }

  /** @param {number} byte */
  choose(byte) {
    const within = Math.max(0, Math.min(this.payload.length - 1, byte));
    this.mark(within, within + 1);
    this.selected(within);
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = event.target instanceof Element ? event.target.closest(".digits, .ascii") : null;
    const row = target?.closest(".bytes");
    if (!(target instanceof HTMLElement) || !(row instanceof HTMLElement)) return;
    const length = target.textContent?.length ?? 0;
    if (length === 0) return;
    const box = target.getBoundingClientRect();
    const sign = ((event.clientX - box.left) / this.signWidth(target)) | 0;
    const place = target.className === "ascii" ? sign : sign < 24 ? sign / 3 : (sign - 1) / 3;
    this.choose(Number(row.dataset.row) * this.across + Math.max(0, Math.min(this.across - 1, Math.floor(place))));
  }

  /**
   * The width of one sign of a line in pixels.
   * @param {HTMLElement} line
   */
  signWidth(line) {
    const range = document.createRange();
    range.selectNodeContents(line);
    return Math.max(1, range.getBoundingClientRect().width / (line.textContent?.length || 1));
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const page = Math.max(1, Math.floor(this.list.height / height) - 1) * this.across;
    const at = Math.max(0, this.active);
    /** @type {Record<string, number>} */
    const targets = {
      ArrowLeft: at - 1, ArrowRight: at + 1, ArrowUp: at - this.across, ArrowDown: at + this.across, PageUp: at - page, PageDown: at + page, Home: 0,
      End: this.payload.length - 1,
    };
    if (!(event.key in targets)) return;
    this.choose(this.active < 0 ? 0 : targets[event.key]);
    event.preventDefault();
    event.stopPropagation();
  }
}

"""#

    private static let indexHtml: StaticString = #"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>Unmask</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cpath d='M1 4h9V2l5 4-5 4V8H1zM15 12H6v-2l-5 3 5 3v-2h9z' fill='%234a7bd0'/%3E%3C/svg%3E">
<link rel="stylesheet" href="theme.css">
<link rel="stylesheet" href="layout.css">
<link rel="stylesheet" href="grid.css">
<link rel="stylesheet" href="detail.css">
<script type="module" src="main.js"></script>
</head>
<body>
<header id="bar">
  <h1>Unmask</h1>
  <span id="inputs"></span>
  <span id="run" role="status"></span>
  <span class="space"></span>
  <button type="button" id="statistics-button" aria-haspopup="dialog">Statistics</button>
  <button type="button" id="help-button" aria-haspopup="dialog" aria-keyshortcuts="?">Keys <kbd>?</kbd></button>
</header>
<div id="tools" role="search">
  <div class="field wide">
    <label for="filter">Filter</label>
    <div class="box">
      <div id="filter-marks" aria-hidden="true"></div>
      <input id="filter" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" role="combobox" aria-expanded="false"
        aria-autocomplete="list" aria-controls="filter-list" aria-describedby="filter-error">
      <ul id="filter-list" role="listbox" aria-label="Completions" hidden></ul>
      <p id="filter-error" role="alert" hidden></p>
    </div>
  </div>
  <div class="field">
    <label for="search">Search</label>
    <div class="box"><input id="search" type="text" autocomplete="off" autocapitalize="off" spellcheck="false"></div>
  </div>
  <button type="button" class="switch" id="heartbeats" role="switch" aria-checked="true">Heartbeats</button>
  <button type="button" class="switch" id="follow" role="switch" aria-checked="false">Follow</button>
</div>
<section id="timeline" aria-label="Timeline">
  <div class="lanes" aria-hidden="true"><span>client →</span><span>← server</span></div>
  <canvas id="picture" tabindex="0" role="img" aria-label="Timeline"></canvas>
  <div id="span"><span id="span-text"></span><button type="button" id="slowest" aria-keyshortcuts="w" hidden></button><button type="button" id="span-clear" hidden>Whole time</button></div>
</section>
<main id="panes">
  <section class="pane" id="conversations-pane" aria-label="Conversations">
    <div class="pane-head">
      <h2>Conversations</h2><span class="count" id="conversations-count"></span>
      <label class="hidden" for="match">Find a conversation by address, host or path</label>
      <input id="match" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" title="Find by address, host or path">
      <label class="hidden" for="sort">Order of conversations</label>
      <select id="sort">
        <option value="number">by number</option>
        <option value="bytes">by bytes</option>
        <option value="messages">by messages</option>
        <option value="duration">by duration</option>
        <option value="findings">by findings</option>
      </select>
    </div>
    <div class="grid" id="conversations"></div>
  </section>
  <div class="divider" id="divider-left" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Width of the conversations"></div>
  <section class="pane" id="messages-pane" aria-label="Messages">
    <div class="pane-head">
      <h2>Messages</h2><span class="count" id="messages-count" role="status"></span>
      <span class="space"></span>
      <label class="hidden" for="kinds">Kinds of rows</label>
      <select id="kinds">
        <option value="all">all records</option>
        <option value="messages">messages alone</option>
      </select>
    </div>
    <div class="grid" id="messages"></div>
    <div id="empty" hidden></div>
  </section>
  <div class="divider" id="divider-right" role="separator" tabindex="0" aria-orientation="vertical" aria-label="Width of the detail"></div>
  <section class="pane" id="detail-pane" aria-label="Detail">
    <div class="pane-head" id="detail-head"></div>
    <div id="tabs" role="tablist" aria-label="Parts of the detail"></div>
    <div id="detail" role="tabpanel" tabindex="0" aria-label="Detail"></div>
  </section>
</main>
<footer id="foot"><span id="note" role="status"></span><span class="space"></span><span id="connection"></span></footer>
<dialog id="note-dialog" aria-labelledby="note-title"></dialog>
<dialog id="help" aria-labelledby="help-title"></dialog>
<dialog id="statistics" aria-labelledby="statistics-title"></dialog>
</body>
</html>

"""#

    private static let jsonTreeJs: StaticString = #"""
// The tree of a JSON text: a virtual list of the nodes that are not in a closed one.

import { make } from "./dom.js";
import { kinds } from "./json.js";
import { VirtualList } from "./virtual-list.js";
import { counted, visible } from "./words.js";

const height = 20;

export class JSONTree {
  /**
   * @param {import("./json.js").Tree} tree
   * @param {(start: number, end: number) => void} selected is called with the range of bytes of a node
   */
  constructor(tree, selected) {
    this.tree = tree;
    this.selected = selected;
    this.active = -1;
    /** @type {Set<number>} */
    this.closed = new Set();
    this.element = make("div", "json viewport");
    this.element.id = "json";
    this.element.tabIndex = 0;
    this.element.role = "tree";
    this.element.ariaLabel = "JSON";
    this.list = new VirtualList(this.element, { height, make: () => this.makeRow(), fill: (row, index) => this.fill(row, index) });
    this.element.addEventListener("keydown", (event) => this.pressed(event));
    this.element.addEventListener("click", (event) => this.clicked(event));
    /** @type {Int32Array} the nodes that are shown */
    this.nodes = new Int32Array(0);
    this.layOut();
  }

  layOut() {
    const { tree } = this;
    const nodes = new Int32Array(tree.count);
    let count = 0;
    for (let node = 0; node < tree.count;) {
      nodes[count] = node;
      count += 1;
      node = this.closed.has(node) ? tree.next.values[node] : node + 1;
    }
    this.nodes = nodes.subarray(0, count);
    this.list.setCount(count);
    this.list.refill();
  }

  makeRow() {
    const row = make("div", "node", ...["twist", "key", "value"].map((name) => make("span", name)));
    row.role = "treeitem";
    return row;
  }

  /**
   * @param {HTMLElement} row
   * @param {number} index
   */
  fill(row, index) {
    const { tree } = this;
    const node = this.nodes[index];
    const kind = tree.kind.values[node];
    const [twist, key, value] = row.children;
    const isContainer = kind === kinds.object || kind === kinds.array;
    const children = tree.children.values[node];
    const depth = tree.depth.values[node];
    row.id = `json-${index}`;
    row.style.paddingInlineStart = `${Math.min(depth, 40) * 14}px`;
    row.ariaLevel = String(depth + 1);
    row.classList.toggle("active", index === this.active);
    row.ariaSelected = String(index === this.active);
    if (isContainer && children > 0) row.ariaExpanded = String(!this.closed.has(node));
    else row.removeAttribute("aria-expanded");
    twist.textContent = isContainer && children > 0 ? (this.closed.has(node) ? "▸" : "▾") : "";
    const keyStart = tree.keyStart.values[node];
    const parent = tree.parent.values[node];
    if (keyStart >= 0) key.textContent = `${visible(tree.text(keyStart + 1, tree.keyEnd.values[node] - 1))}: `;
    else key.textContent = parent >= 0 ? "– " : "";
    value.className = `value ${Object.keys(kinds)[kind]}`;
    if (kind === kinds.object) value.textContent = children ? `{ ${counted(children, "key")} }` : "{}";
    else if (kind === kinds.array) value.textContent = children ? `[ ${counted(children, "item")} ]` : "[]";
    else value.textContent = visible(tree.text(tree.start.values[node], tree.end.values[node]));
  }

  /**
   * Makes a node the active one.
   * @param {number} index
   * @param {boolean} [quiet] without selecting its bytes
   */
  activate(index, quiet = false) {
    if (this.nodes.length === 0) return;
    this.active = Math.max(0, Math.min(this.nodes.length - 1, index));
    this.list.reveal(this.active);
    this.list.refill();
    this.element.setAttribute("aria-activedescendant", `json-${this.active}`);
    if (quiet) return;
    const node = this.nodes[this.active];
    const keyStart = this.tree.keyStart.values[node];
    this.selected(keyStart >= 0 ? keyStart : this.tree.start.values[node], this.tree.end.values[node]);
  }

  /**
   * Makes the innermost node active that has a byte.
   * @param {number} byte
   * @returns {[number, number] | null} its range
   */
  activateByte(byte) {
    const node = this.tree.nodeAt(byte);
    if (node < 0) return null;
    for (let parent = this.tree.parent.values[node]; parent >= 0; parent = this.tree.parent.values[parent]) this.closed.delete(parent);
    this.layOut();
    this.activate(this.nodes.indexOf(node), true);
    const keyStart = this.tree.keyStart.values[node];
    return [keyStart >= 0 ? keyStart : this.tree.start.values[node], this.tree.end.values[node]];
  }

  /**
   * @param {number} index
   * @param {boolean} isOpen
   */
  turn(index, isOpen) {
    const node = this.nodes[index];
    if (node === undefined || this.tree.children.values[node] === 0) return;
    if (isOpen) this.closed.delete(node);
    else this.closed.add(node);
    this.layOut();
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = event.target instanceof Element ? event.target : null;
    const row = target?.closest(".node");
    for (const [index, element] of this.list.shown) {
      if (element !== row) continue;
      if (target?.className === "twist") this.turn(index, this.closed.has(this.nodes[index]));
      this.activate(index);
      return;
    }
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const node = this.nodes[this.active];
    const isOpen = node !== undefined && this.tree.children.values[node] > 0 && !this.closed.has(node);
    const page = Math.max(1, Math.floor(this.list.height / height) - 1);
    switch (event.key) {
      case "ArrowDown": this.activate(this.active + 1); break;
      case "ArrowUp": this.activate(this.active - 1); break;
      case "PageDown": this.activate(this.active + page); break;
      case "PageUp": this.activate(this.active - page); break;
      case "Home": this.activate(0); break;
      case "End": this.activate(this.nodes.length - 1); break;
      case "ArrowRight":
        if (isOpen) this.activate(this.active + 1);
        else this.turn(this.active, true);
        break;
      case "ArrowLeft":
        if (isOpen) this.turn(this.active, false);
        else if (node !== undefined) this.activate(this.nodes.indexOf(this.tree.parent.values[node]));
        break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

"""#

    private static let jsonJs: StaticString = #"""
// Reads JSON into flat arrays, with the range of bytes of every value, in slices of some milliseconds and without recursion. Trusted Types
// without a policy allow no worker.

const patience = 8;

/** Kinds of values. */
export const kinds = { object: 0, array: 1, string: 2, number: 3, word: 4 };

export class NotJSON extends Error {
  /**
   * @param {string} message
   * @param {number} offset
   */
  constructor(message, offset) {
    super(message);
    this.offset = offset;
  }
}

/** A column of numbers that grows. */
class Column {
  constructor() {
    this.values = new Int32Array(256);
    this.count = 0;
  }
  /** @param {number} value */
  push(value) {
    if (this.count === this.values.length) {
      const wider = new Int32Array(this.count * 2);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.count] = value;
    this.count += 1;
  }
}

export class Tree {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.kind = new Column();
    this.start = new Column();
    this.end = new Column();
    /** Of the key of a member, with its quotes; -1 where there is none. */
    this.keyStart = new Column();
    this.keyEnd = new Column();
    this.parent = new Column();
    this.depth = new Column();
    /** How many children, and the first node that is not inside. */
    this.children = new Column();
    this.next = new Column();
  }

  get count() { return this.kind.count; }

  /**
   * @param {number} kind
   * @param {number} parent
   * @param {number} start
   * @param {[number, number]} key
   */
  add(kind, parent, start, key) {
    const node = this.count;
    this.kind.push(kind);
    this.start.push(start);
    this.end.push(start);
    this.keyStart.push(key[0]);
    this.keyEnd.push(key[1]);
    this.parent.push(parent);
    this.depth.push(parent < 0 ? 0 : this.depth.values[parent] + 1);
    this.children.push(0);
    this.next.push(node + 1);
    if (parent >= 0) this.children.values[parent] += 1;
    return node;
  }

  /**
   * @param {number} start
   * @param {number} end
   * @param {number} [most]
   */
  text(start, end, most = 400) {
    const cut = end - start > most;
    return new TextDecoder().decode(this.bytes.subarray(start, cut ? start + most : end)) + (cut ? "…" : "");
  }

  /**
   * The innermost node that has a byte.
   * @param {number} byte
   */
  nodeAt(byte) {
    let found = -1;
    for (let node = 0; node < this.count;) {
      const from = this.keyStart.values[node] >= 0 ? this.keyStart.values[node] : this.start.values[node];
      if (byte >= from && byte < this.end.values[node]) {
        found = node;
        node += 1;
      } else {
        node = this.next.values[node];
      }
    }
    return found;
  }
}

/** @param {number} byte */
const isSpace = (byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * @param {Uint8Array} bytes
 * @param {number} at the opening quote
 * @returns {number} the byte after the closing quote
 */
function stringEnd(bytes, at) {
  for (let index = at + 1; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === 0x22) return index + 1;
    if (byte === 0x5c) index += 1;
    else if (byte < 0x20) throw new NotJSON("a control character in a string", index);
  }
  throw new NotJSON("a string without an end", at);
}

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * @param {Uint8Array} bytes
 * @param {AbortSignal} [signal]
 * @returns {Promise<Tree>}
 */
export async function readJSON(bytes, signal) {
  const tree = new Tree(bytes);
  /** @type {number[]} the containers that are open */
  const open = [];
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let until = performance.now() + patience;
  let steps = 0;
  /** What may come: a value, a value or the end, a comma or the end. */
  let state = "value";
  /**
   * @param {number} node
   * @param {number} end
   */
  const finish = (node, end) => {
    tree.end.values[node] = end;
    tree.next.values[node] = tree.count;
  };
  const skip = () => {
    while (at < bytes.length && isSpace(bytes[at])) at += 1;
  };
  for (skip(); at < bytes.length; skip()) {
    steps += 1;
    if (steps % 256 === 0 && performance.now() > until) {
      await new Promise((resume) => setTimeout(resume));
      signal?.throwIfAborted();
      until = performance.now() + patience;
    }
    const byte = bytes[at];
    const parent = open.length > 0 ? open[open.length - 1] : -1;
    if (state === "end") throw new NotJSON("more after the value", at);
    if (byte === 0x7d || byte === 0x5d) {
      const closes = byte === 0x7d ? kinds.object : kinds.array;
      if (parent < 0 || state === "value" || tree.kind.values[parent] !== closes) throw new NotJSON("an unexpected bracket", at);
      at += 1;
      finish(parent, at);
      open.pop();
      state = open.length === 0 ? "end" : "comma";
      continue;
    }
    if (state === "comma") {
      if (byte !== 0x2c) throw new NotJSON("a comma is missing", at);
      at += 1;
      state = "value";
      continue;
    }
    /** @type {[number, number]} */
    let key = [-1, -1];
    if (parent >= 0 && tree.kind.values[parent] === kinds.object) {
      if (byte !== 0x22) throw new NotJSON("a key is missing", at);
      key = [at, stringEnd(bytes, at)];
      at = key[1];
      skip();
      if (bytes[at] !== 0x3a) throw new NotJSON("a colon is missing", at);
      at += 1;
      skip();
    }
    const first = bytes[at];
    state = open.length === 0 ? "end" : "comma";
    if (first === 0x7b || first === 0x5b) {
      open.push(tree.add(first === 0x7b ? kinds.object : kinds.array, parent, at, key));
      at += 1;
      state = "first";
    } else if (first === 0x22) {
      const end = stringEnd(bytes, at);
      finish(tree.add(kinds.string, parent, at, key), end);
      at = end;
    } else {
      let end = at;
      while (end < bytes.length && !isSpace(bytes[end]) && ![0x2c, 0x5d, 0x7d].includes(bytes[end]) && end - at < 400) end += 1;
      const word = String.fromCharCode(...bytes.subarray(at, end));
      const isWord = word === "true" || word === "false" || word === "null";
      if (!isWord && !number.test(word)) throw new NotJSON("neither a number nor a word of JSON", at);
      finish(tree.add(isWord ? kinds.word : kinds.number, parent, at, key), end);
      at = end;
    }
  }
  if (state !== "end") throw new NotJSON("the end is missing", bytes.length);
  return tree;
}

"""#

    private static let keysJs: StaticString = #"""
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

"""#

    private static let layoutCss: StaticString = #"""
/* Where everything is: a bar, the tools, the timeline, three panes, a foot. */

body { display: flex; flex-direction: column; overflow: hidden; }

#bar { display: flex; align-items: center; gap: 12px; padding: 0 10px; height: 34px; flex: none; background: var(--panel); border-bottom: var(--edge); }
#inputs { font: var(--mono); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; min-width: 60px; flex: 0 2 auto; }
#run { color: var(--dim); white-space: nowrap; overflow: hidden; text-overflow: ellipsis; min-width: 0; font-variant-numeric: tabular-nums; }
#run b { color: var(--text); font-weight: 600; }
#run .live { color: var(--string); }
#bar kbd { border: 0; padding: 0 0 0 4px; }

#tools { display: flex; align-items: center; gap: 10px; padding: 6px 10px; flex: none; border-bottom: var(--edge); }
.field { display: flex; align-items: center; gap: 6px; flex: 1; min-width: 0; }
.field.wide { flex: 2.4; }
.field label { font-size: 12px; color: var(--dim); }
.box { position: relative; flex: 1; min-width: 0; }
#filter { background: transparent; position: relative; }
#filter.wrong { border-color: var(--violation); }
#filter-marks { position: absolute; inset: 0; height: 24px; padding: 0 9px; font: var(--mono); line-height: 24px; white-space: pre; overflow: hidden; color: transparent; background: var(--raised); border-radius: 4px; }
#filter-marks mark { background: transparent; color: transparent; border-bottom: 3px solid var(--violation); padding-bottom: 1px; }
#filter-list, .menu { position: absolute; z-index: 20; top: 27px; left: 0; min-width: 220px; max-width: 100%; max-height: 280px; overflow: auto; background: var(--raised); border: var(--edge); border-radius: 4px; box-shadow: var(--shade); padding: 4px 0; font: var(--mono); }
#filter-list li { padding: 2px 10px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
#filter-list li:hover { background: var(--hover); }
#filter-list li[aria-selected="true"] { background: var(--active); }
#filter-error { position: absolute; z-index: 10; top: 27px; left: 0; right: 0; color: var(--violation); background: var(--raised); border: 1px solid var(--violation); border-radius: 4px; box-shadow: var(--shade); font-size: 12px; padding: 3px 8px; }

#timeline { display: grid; grid-template-columns: 62px 1fr; grid-template-rows: 56px 20px; flex: none; border-bottom: var(--edge); background: var(--back); padding: 2px 10px 2px 0; }
.lanes { display: flex; flex-direction: column; justify-content: space-around; padding-left: 10px; font-size: 11px; white-space: nowrap; }
.lanes span:first-child { color: var(--client); }
.lanes span:last-child { color: var(--server); }
#picture { width: 100%; height: 56px; display: block; touch-action: none; cursor: crosshair; }
#span { grid-column: 2; display: flex; align-items: center; gap: 10px; font-size: 11px; color: var(--dim); font-variant-numeric: tabular-nums; white-space: nowrap; overflow: hidden; }
#span button { height: 18px; font-size: 11px; }

#panes { flex: 1; min-height: 0; display: grid; grid-template-columns: var(--left, minmax(250px, 24%)) 5px minmax(0, 1fr) 5px var(--right, minmax(320px, 34%)); }
.pane { display: flex; flex-direction: column; min-width: 0; min-height: 0; position: relative; }
.pane-head { display: flex; align-items: center; gap: 8px; height: 32px; padding: 0 8px; flex: none; background: var(--panel); border-bottom: var(--edge); white-space: nowrap; }
.pane-head .count { color: var(--dim); font-size: 12px; overflow: hidden; text-overflow: ellipsis; font-variant-numeric: tabular-nums; min-width: 0; }
.pane-head h2 { flex: none; }
.pane-head select { flex: none; max-width: 130px; }
.pane-head input { flex: 1 1 60px; min-width: 24px; }
#conversations-count { flex: none; }
#panes > .problem { grid-column: 1 / -1; }
.divider { background: var(--line); cursor: col-resize; background-clip: content-box; padding: 0 2px; }
.divider:hover, .divider:focus-visible { background: var(--accent); outline: none; }
#empty { position: absolute; top: 110px; left: 0; right: 0; text-align: center; color: var(--dim); }
#empty p { padding: 4px; }
#foot { display: flex; gap: 12px; align-items: center; height: 22px; padding: 0 10px; flex: none; background: var(--panel); border-top: var(--edge); font-size: 12px; color: var(--dim); }
#connection { color: var(--warning); }

.menu-holder { position: relative; }
.menu-holder .menu { left: auto; right: 0; max-width: 260px; min-width: 150px; max-height: 320px; display: flex; flex-direction: column; }
.menu button { border: 0; border-radius: 0; background: none; text-align: left; font: var(--ui); height: 24px; padding: 0 12px; flex: none; }
.menu button:hover, .menu button:focus { background: var(--active); outline: none; }

dialog { color: var(--text); background: var(--raised); border: var(--edge); border-radius: 6px; box-shadow: var(--shade); padding: 16px 20px; max-width: min(900px, 94vw); max-height: 90vh; }
dialog::backdrop { background: rgb(0 0 0 / 30%); }
dialog h2 { font-size: 14px; margin-bottom: 10px; }
dialog > button { margin-top: 12px; }
.keys { display: grid; grid-template-columns: auto 1fr; gap: 5px 14px; align-items: baseline; }
.keys dt { text-align: right; }

@media (min-width: 1000px) {
  .keys { grid-template-columns: auto 1fr auto 1fr; }
}

@media (max-width: 1100px) {
  #panes { grid-template-columns: var(--left, 240px) 5px minmax(0, 1fr); grid-template-rows: minmax(0, 1fr) minmax(0, 1fr); }
  #conversations-pane, #divider-left { grid-row: 1 / 3; }
  #divider-right, #conversations-count { display: none; }
  #sort { width: 88px; }
  #detail-pane { grid-column: 3; border-top: var(--edge); }
  .field.wide { flex: 1.6; }
}

"""#

    private static let mainJs: StaticString = #"""
// Starts all.

import { token } from "./api.js";
import * as conversations from "./conversations.js";
import * as detail from "./detail.js";
import "./dividers.js";
import "./filter-box.js";
import "./keys.js";
import * as messages from "./messages.js";
import * as notes from "./notes.js";
import * as run from "./run.js";
import { choice, fromFragment, choose, whenChosen } from "./state.js";
import "./statistics.js";
import "./switches.js";
import "./timeline.js";
import * as view from "./view.js";

/**
 * What a view is made of.
 * @type {(keyof Choice)[]}
 */
const ofView = ["conversation", "filter", "search", "heartbeats", "since", "until", "kinds"];

whenChosen((changed) => {
  if (ofView.some((key) => changed.has(key))) void view.renew().catch(run.lose);
  if (changed.has("follow") && choice.follow) messages.grid.list.moveTo(messages.grid.list.range);
});

const opened = token();
window.addEventListener("hashchange", () => (token() === opened ? choose(fromFragment()) : location.reload()));

run.whenGrown(conversations.grow);

try {
  conversations.renew();
  await Promise.all([run.load(), view.renew()]);
  void detail.show();
  void notes.load().catch(run.lose);
  run.listen();
} catch (error) {
  run.giveUp(error);
}

"""#

    private static let menuJs: StaticString = #"""
// A menu under a button.

import { make } from "./dom.js";

/**
 * @param {string} title
 * @param {() => {name: string, action: () => void}[]} entries are asked for when it opens
 * @param {string} [keys] the key that opens it
 */
export function menu(title, entries, keys) {
  const list = make("div", "menu");
  list.role = "menu";
  list.ariaLabel = title;
  list.hidden = true;
  const button = make("button", null, `${title} `, make("span", "twist", "▾"));
  button.type = "button";
  button.ariaHasPopup = "menu";
  button.ariaExpanded = "false";
  if (keys) button.ariaKeyShortcuts = keys;
  const close = () => {
    list.hidden = true;
    button.ariaExpanded = "false";
  };
  const open = () => {
    list.replaceChildren();
    for (const { name, action } of entries()) {
      const entry = make("button", null, name);
      entry.type = "button";
      entry.role = "menuitem";
      entry.tabIndex = -1;
      entry.addEventListener("click", () => {
        close();
        button.focus();
        action();
      });
      list.append(entry);
    }
    list.hidden = false;
    button.ariaExpanded = "true";
    /** @type {HTMLElement | null} */ (list.firstElementChild)?.focus();
  };
  button.addEventListener("click", () => (list.hidden ? open() : close()));
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    open();
    event.preventDefault();
  });
  const holder = make("span", "menu-holder", button, list);
  holder.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const all = /** @type {HTMLElement[]} */ ([...list.children]);
    const at = all.findIndex((entry) => entry === document.activeElement);
    if (event.key === "Escape") {
      close();
      button.focus();
    } else if (event.key === "ArrowDown") all[(at + 1) % all.length].focus();
    else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length].focus();
    else if (event.key === "Home") all[0].focus();
    else if (event.key === "End") all[all.length - 1].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  holder.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node) || !holder.contains(event.relatedTarget)) close();
  });
  return { holder, open };
}

"""#

    private static let messagesJs: StaticString = #"""
// The middle pane.

import { find, make } from "./dom.js";
import { Grid } from "./grid.js";
import { noteSign, whenNoted } from "./notes.js";
import { choice, choose } from "./state.js";
import * as view from "./view.js";
import { after, clock, counted, grouped, sender, severities, size, visible } from "./words.js";
import { Windows } from "./windows.js";

const count = find("messages-count", HTMLElement);
const empty = find("empty", HTMLElement);

/**
 * The opening of the chosen conversation, which its times are counted from.
 * @type {string | null}
 */
let opened = null;
/**
 * A row that is to be chosen once the view has counted as far.
 * @type {number | null}
 */
let wanted = null;

/** @type {Windows<Row>} */
const windows = new Windows({
  fetch: view.rows,
  arrived: (first, last) => grid.list.refill(first, last),
  failed: () => window.setTimeout(() => void view.recount(), 1000),
  isAtTip: () => choice.follow,
});

export const grid = new Grid(find("messages", HTMLElement), {
  label: "Messages",
  columns: [
    { name: "conversation", title: "Conv." },
    { name: "time", title: "Time" },
    { name: "from", title: "From" },
    { name: "kind", title: "Kind" },
    { name: "bytes", title: "Bytes" },
    { name: "text", title: "Text" },
  ],
  fill,
  seen: (first, last) => windows.want(first, last),
  activated: (index) => {
    wanted = null;
    if (index < grid.list.count - 1) choose({ follow: false });
    const row = windows.at(index);
    if (row) choose({ id: row.id });
    else void choosePosition(index);
  },
  entered: () => find("detail", HTMLElement).focus(),
});

// Who scrolls back wants to read.
grid.element.addEventListener("wheel", (event) => event.deltaY < 0 && choose({ follow: false }), { passive: true });

/**
 * Chooses a row that has not been fetched.
 * @param {number} index
 */
async function choosePosition(index) {
  const { list } = await view.rows(index, 1, view.signal()).catch(() => ({ list: /** @type {Row[]} */ ([]) }));
  if (grid.active === index && list[0]) choose({ id: list[0].id });
}

/**
 * @param {HTMLElement[]} cells
 * @param {number} index
 * @param {HTMLElement} element
 */
function fill(cells, index, element) {
  const row = windows.at(index);
  const [conversation, time, from, kind, bytes, text] = cells;
  element.classList.toggle("waiting", !row);
  if (!row) {
    for (const cell of cells) cell.textContent = "";
    time.textContent = "…";
    return;
  }
  element.classList.add(row.s === 0 ? "client" : row.s === 1 ? "server" : "neither");
  if (row.v) element.classList.add(row.v);
  conversation.textContent = row.n ? String(row.n) : "";
  time.textContent = row.t ? (opened ? after(row.t, opened) : clock(row.t)) : "";
  from.textContent = sender(row.s);
  kind.textContent = row.k === "message" ? (row.o ?? row.k) : row.k;
  bytes.textContent = row.b > 0 || row.k === "message" ? size(row.b) : "";
  const line = noteSign(row.id, null) + visible(row.x ?? "");
  if (row.v) {
    const mark = severities[row.v];
    text.replaceChildren(make("b", `severity ${row.v}`, `${mark.shape} ${mark.word}`), ` ${line}`);
  } else {
    text.textContent = line + (row.z ? " [truncated]" : "");
  }
}

/** @param {string | null} time of the opening; null to show the time of day */
export function countTimesFrom(time) {
  if (opened === time) return;
  opened = time;
  const head = grid.head.querySelector(".time");
  if (head) head.textContent = time ? "Seconds" : "Time (UTC)";
  grid.list.refill();
}

/**
 * Goes to a row, and reads from there on.
 * @param {number} id
 */
export function show(id) {
  choose({ id, follow: false });
  grid.element.focus();
  void goTo(id);
}

/**
 * Chooses the row of an id, or the next one, and has it in view.
 * @param {number} id
 */
export async function goTo(id) {
  wanted = id;
  const position = await view.position(id);
  if (position === null || wanted !== id || position >= grid.list.count) return;
  wanted = null;
  if (grid.active < 0 || position !== grid.active) {
    grid.mark(position);
    const { top, height } = grid.list;
    const pixel = position * grid.list.rows.height;
    if (pixel < top || pixel > top + height - grid.list.rows.height) grid.list.center(position);
    grid.mark(position);
  }
}

whenNoted(() => grid.list.refill());
view.whenLeft(() => windows.stop());
view.whenRefused((error) => error && windows.fetchShown());

view.whenRenewed(() => {
  windows.clear();
  grid.mark(-1);
  grid.list.top = 0;
  grid.setCount(0);
  grid.element.classList.toggle("one", choice.conversation !== null);
  wanted = choice.id;
});

view.whenCounted((counts) => {
  if (counts.list) {
    windows.tip = { first: counts.rows_at ?? 0, list: counts.list };
    grid.list.refill(counts.rows_at);
  }
  const grew = counts.total !== grid.list.count;
  if (choice.follow) grid.list.top = Infinity;
  grid.setCount(counts.total);
  windows.total = counts.total;
  if (choice.follow) grid.list.moveTo(grid.list.range);
  else if (grew) windows.fetchShown();
  const { first, last } = windows.range;
  view.newest.rows = choice.follow ? Math.max(view.newest.rows, last - first) : 0;
  if (!choice.follow && wanted !== null) void goTo(wanted);
  showCounts(counts);
});

/** @param {Counts} counts */
function showCounts(counts) {
  const isBusy = counts.scanned < counts.rows;
  const hidden = counts.hidden ?? {};
  const parts = [counted(counts.total, "row")];
  if (hidden.heartbeats) parts.push(`${counted(hidden.heartbeats, "heartbeat")} hidden`);
  if (isBusy) parts.push(`searching, ${Math.floor((counts.scanned / Math.max(1, counts.rows)) * 100)} %`);
  count.textContent = parts.join(" · ");
  grid.element.ariaBusy = String(isBusy);
  empty.hidden = counts.total > 0 || isBusy;
  if (!empty.hidden) explainEmptiness(hidden);
}

/**
 * Says why nothing is shown, and offers to take it back.
 * @param {{filter?: number, search?: number, heartbeats?: number}} hidden
 */
function explainEmptiness(hidden) {
  /** @type {[string, Partial<Choice>][]} */
  const reasons = [];
  if (choice.filter) reasons.push([`The filter hides ${counted(hidden.filter ?? 0, "row")}.`, { filter: "" }]);
  if (choice.search) reasons.push([`The search “${choice.search}” is not found in ${counted(hidden.search ?? 0, "row")}.`, { search: "" }]);
  if (!choice.heartbeats) reasons.push([`${grouped(hidden.heartbeats ?? 0)} heartbeats are hidden.`, { heartbeats: true }]);
  if (choice.since || choice.until) reasons.push(["Rows outside the chosen time are hidden.", { since: null, until: null }]);
  if (choice.kinds === "messages") reasons.push(["Records that are not messages are hidden.", { kinds: "all" }]);
  empty.replaceChildren(make("p", null, "Nothing to show."));
  for (const [reason, undo] of reasons) {
    const button = make("button", null, "Show them");
    button.type = "button";
    button.addEventListener("click", () => choose(undo));
    empty.append(make("p", null, `${reason} `, button));
  }
  if (reasons.length === 0) {
    empty.append(make("p", null, choice.conversation ? "This conversation has no rows." : "No rows have been recorded."));
  }
}

"""#

    private static let notesJs: StaticString = #"""
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

"""#

    private static let partsJs: StaticString = #"""
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

"""#

    private static let runJs: StaticString = #"""
// What is known about the run, and the WebSocket on which the server says that there is more.

import { Refused, get, token } from "./api.js";
import { find, make } from "./dom.js";
import * as view from "./view.js";
import { reason } from "./saying.js";
import { clock, counted, day, visible } from "./words.js";

/** @type {RunState} */
export const run = {
  tool: "", inputs: [], live: false, finished: false, rows: 0, messages: 0, conversations: 0, first: null, last: null, problem: null,
  saved: null,
};

const connection = find("connection", HTMLElement);
/** @type {WebSocket | null} */
let socket = null;
let wait = 500;
let newest = 0;
/** @type {((conversations: number, others: number) => void)[]} */
const listeners = [];

/** @param {(conversations: number, others: number) => void} listener */
export const whenGrown = (listener) => listeners.push(listener);

function show() {
  const inputs = find("inputs", HTMLElement);
  const names = run.inputs.map(visible);
  inputs.textContent = names.length > 2 ? `${names[0]} and ${names.length - 1} more` : names.join(", ");
  inputs.title = names.join("\n");
  document.title = `${run.inputs.length === 1 ? visible(run.inputs[0]).split("/").pop() : counted(run.inputs.length, "input")} – Unmask`;
  const state = find("run", HTMLElement);
  const words = run.live && !run.finished ? "live" : run.finished || !run.live ? "ended" : "reading";
  const parts = [counted(run.conversations, "conversation"), counted(run.messages, "message")];
  if (run.first) parts.push(`${day(run.first)} ${clock(run.first, 0).replace(/\.$/, "")} UTC`);
  state.replaceChildren(make("b", words, words === "live" ? "● live" : words), ` ${parts.join(" · ")}`);
  if (run.problem) state.append(" ", make("b", "severity warning", `◆ ${visible(run.problem)}`));
}

/** Asks for the state of the run. */
export async function load() {
  Object.assign(run, await get("state"));
  show();
}

/** Opens the WebSocket, and again when it ends, ever less often. */
export function listen() {
  if (socket) return;
  const address = `ws://${location.host}/api/live`;
  const opened = new WebSocket(address);
  socket = opened;
  opened.addEventListener("open", () => {
    opened.send(JSON.stringify({ token: token() }));
    watch();
    connection.textContent = "";
  });
  opened.addEventListener("message", (event) => {
    wait = 500;
    received(JSON.parse(event.data));
  });
  opened.addEventListener("close", () => {
    socket = null;
    if (run.finished || !run.live) {
      connection.textContent = "";
      return;
    }
    connection.textContent = "◆ not connected: the program may have ended";
    window.setTimeout(listen, wait);
    wait = Math.min(15_000, wait * 2);
  });
}

/** Says which view is shown, so that its count comes, and its newest rows. */
function watch() {
  const name = view.current();
  newest = view.newest.rows;
  if (socket?.readyState === WebSocket.OPEN && name) socket.send(JSON.stringify({ view: name, newest }));
}

/** @param {any} news */
function received(news) {
  if ("view" in news) {
    if (news.view !== view.current()) return;
    if (news.gone) void view.recount();
    else view.take(news);
    if (newest !== view.newest.rows) watch();
    return;
  }
  const grew = news.rows !== run.rows || news.finished !== run.finished;
  Object.assign(run, news);
  show();
  if (!grew) return;
  for (const listener of listeners) listener(news.conversations, news.rows - news.messages);
}

view.whenRenewed(watch);

/**
 * Says that a request went wrong, and leaves what is shown as it is.
 * @param {unknown} error
 */
export function lose(error) {
  connection.textContent = `◆ ${reason(error)}`;
}

/**
 * Says what keeps the page from working, in place of everything.
 * @param {unknown} error
 */
export function giveUp(error) {
  const isRefused = error instanceof Refused && error.status === 401;
  const words = isRefused
    ? "This address has no valid token. Open the address that unmask printed: its part after # is the token."
    : `The program does not respond: ${reason(error)}`;
  find("panes", HTMLElement).replaceChildren(make("p", "problem", words));
  find("tools", HTMLElement).hidden = true;
  find("timeline", HTMLElement).hidden = true;
}

"""#

    private static let sayingJs: StaticString = #"""
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

"""#

    private static let stateJs: StaticString = #"""
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

"""#

    private static let statisticsJs: StaticString = #"""
// The second picture: rates, sizes and latencies as histograms, hosts and types of messages as tables.

import { Refused, get } from "./api.js";
import { button, find, make } from "./dom.js";
import * as view from "./view.js";
import { reason } from "./saying.js";
import { clock, grouped, size, span, visible } from "./words.js";

const dialog = find("statistics", HTMLDialogElement);
const opener = find("statistics-button", HTMLButtonElement);

/**
 * A histogram: a column for each bar, its number as its title.
 * @param {string} title
 * @param {{label: string, client: number, server: number}[]} bars
 */
function histogram(title, bars) {
  const most = Math.max(1, ...bars.map((bar) => bar.client + bar.server));
  const row = make("div", "bars");
  row.role = "img";
  const total = bars.reduce((sum, bar) => sum + bar.client + bar.server, 0);
  row.ariaLabel = `${title}: ${bars.length} bars, ${grouped(total)} in all, ${grouped(most)} in the highest`;
  for (const bar of bars) {
    const column = make("div", "bar");
    column.title = `${bar.label}: ${grouped(bar.client)} from the client, ${grouped(bar.server)} from the server`;
    for (const [name, count] of /** @type {[string, number][]} */ ([["server", bar.server], ["client", bar.client]])) {
      const part = make("div", name);
      part.style.height = `${(count / most) * 100}%`;
      column.append(part);
    }
    row.append(column);
  }
  const ends = make("div", "ends", make("span", null, bars[0]?.label ?? ""), make("span", null, bars[bars.length - 1]?.label ?? ""));
  return make("section", null, make("h3", null, `${title}, at most ${grouped(most)}`), row, ends);
}

/**
 * @param {string} title
 * @param {string[]} columns
 * @param {string[][]} rows
 */
function table(title, columns, rows) {
  const head = make("tr", null, ...columns.map((column) => {
    const cell = make("th", null, column);
    cell.scope = "col";
    return cell;
  }));
  const body = make("tbody", null, ...rows.map((row) => make("tr", null, ...row.map((cell) => make("td", null, cell)))));
  return make("section", null, make("h3", null, title), make("table", "numbers", make("thead", null, head), body));
}

/** @param {Statistics} numbers */
function sections(numbers) {
  const list = [];
  const { seconds, sizes, latencies, hosts, messages, typed, types } = numbers;
  if (seconds?.client?.length) {
    const [first, width] = [BigInt(seconds.first), BigInt(seconds.width)];
    const bars = seconds.client.map((client, index) => ({
      label: clock(first + width * BigInt(index)), client, server: seconds.server[index],
    }));
    list.push(histogram(`Rows in ${span(width)}`, bars));
  }
  if (sizes?.length) {
    list.push(histogram("Sizes", sizes.map((bar) => ({ label: `to ${size(bar.to)}`, client: bar.client, server: bar.server }))));
  }
  if (latencies?.length) {
    const bars = latencies.map((bar) => ({ label: `to ${span(Number(bar.to))}`, client: 0, server: bar.count }));
    list.push(histogram("Latencies", bars));
  }
  if (hosts?.length) {
    const rows = hosts.map((host) => [
      visible(host.name), grouped(host.conversations), grouped(host.messages[0] + host.messages[1]), size(host.bytes[0] + host.bytes[1]),
      grouped(host.findings),
    ]);
    list.push(table("Hosts of the whole file", ["Host", "Conversations", "Messages", "Bytes", "Findings"], rows));
  }
  for (const [title, unit, kinds] of /** @type {[string, string, Statistics["types"]][]} */ ([
    [`Types of ${typed ? "" : "the first 20,000 "}messages`, "Messages", messages], ["Kinds of records", "Records", types],
  ])) {
    if (!kinds?.length) continue;
    list.push(table(title, [title.split(" ", 1)[0].slice(0, -1), unit, "Bytes"], kinds.map((kind) => [visible(kind.name), grouped(kind.count), size(kind.bytes)])));
  }
  return list;
}

async function open() {
  const title = make("h2", null, "Statistics of what is shown");
  title.id = "statistics-title";
  const body = make("div", "statistics", make("p", "hint", "Counting …"));
  dialog.replaceChildren(title, body, button("Close", () => dialog.close()));
  dialog.showModal();
  try {
    await view.settled();
    body.replaceChildren(...sections(await get(`statistics?view=${view.current() ?? ""}`, view.signal())));
  } catch (error) {
    body.replaceChildren(make("p", "problem", reason(error)));
    if (error instanceof Refused && error.status === 404) opener.hidden = true;
  }
}

opener.addEventListener("click", () => void open());

"""#

    private static let switchesJs: StaticString = #"""
// The search, the switches and the choice of kinds.

import { find } from "./dom.js";
import { choice, choose, whenChosen } from "./state.js";

const search = find("search", HTMLInputElement);
const kinds = find("kinds", HTMLSelectElement);
const heartbeats = find("heartbeats", HTMLButtonElement);
const follow = find("follow", HTMLButtonElement);
let timer = 0;

function show() {
  heartbeats.ariaChecked = String(choice.heartbeats);
  follow.ariaChecked = String(choice.follow);
  kinds.value = choice.kinds;
  // What is being written is not taken away.
  if (timer === 0) search.value = choice.search;
}

/** Searches after a short pause. */
function apply() {
  clearTimeout(timer);
  timer = 0;
  choose({ search: search.value });
}

search.addEventListener("input", () => {
  clearTimeout(timer);
  timer = window.setTimeout(apply, 150);
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") search.value = "";
  else if (event.key !== "Enter") return;
  apply();
  find("messages", HTMLElement).focus();
  event.preventDefault();
});
kinds.addEventListener("change", () => choose({ kinds: kinds.value === "messages" ? "messages" : "all" }));
heartbeats.addEventListener("click", () => choose({ heartbeats: !choice.heartbeats }));
follow.addEventListener("click", () => choose({ follow: !choice.follow }));
whenChosen(show);
show();

"""#

    private static let themeCss: StaticString = #"""
/* Colours and letters, light and dark as the system says. Every text has a contrast of 4.5 or more on what it stands on. */

:root {
  color-scheme: light dark;
  --back: #fff;
  --panel: #f4f6f8;
  --raised: #fff;
  --line: #d3d9e0;
  --text: #1a1f26;
  --dim: #57616d;
  --accent: #0b57d0;
  --on-accent: #fff;
  --active: #dce8fb;
  --idle: #e9edf2;
  --hover: #f1f4f8;
  --client: #0a5aa8;
  --server: #8d4300;
  --violation: #b3161b;
  --warning: #7a5000;
  --note: #4b5763;
  --string: #17652d;
  --word: #7b2d8b;
  --mark: #ffe58a;
  --on-mark: #1a1f26;
  --shade: 0 6px 24px rgb(20 30 45 / 18%);
  --edge: 1px solid var(--line);
  --ui: 13px/1.4 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif;
  --mono: 12px/1.5 ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Consolas, "DejaVu Sans Mono", monospace;
}

@media (prefers-color-scheme: dark) {
  :root {
    --back: #14171b;
    --panel: #1b1f25;
    --raised: #22272e;
    --line: #343b44;
    --text: #e3e7ec;
    --dim: #9ba6b2;
    --accent: #6ea8fe;
    --on-accent: #0d1420;
    --active: #1f3a5f;
    --idle: #2a3039;
    --hover: #1d2229;
    --client: #82bbff;
    --server: #f0a868;
    --violation: #ff8b84;
    --warning: #eec04f;
    --note: #aab5c0;
    --string: #7fd197;
    --word: #d7a1e6;
    --mark: #6b5710;
    --on-mark: #fff;
    --shade: 0 6px 24px rgb(0 0 0 / 50%);
  }
}

* { box-sizing: border-box; }
[hidden] { display: none !important; }

html, body { height: 100%; margin: 0; }
body { background: var(--back); color: var(--text); font: var(--ui); }
h1, h2, h3, p, ul, dl, dd, pre { margin: 0; padding: 0; }
ul { list-style: none; }
h1 { font-size: 14px; font-weight: 650; letter-spacing: 0.01em; }
h2 { font-size: 12px; font-weight: 650; }
h3 { font-size: 11px; font-weight: 650; color: var(--dim); text-transform: uppercase; letter-spacing: 0.05em; margin: 12px 0 4px; }

button, select, input {
  font: inherit;
  font-size: 12px;
  color: var(--text);
  background: var(--raised);
  border: var(--edge);
  border-radius: 4px;
  height: 24px;
  padding: 0 8px;
}
button { cursor: default; white-space: nowrap; }
button:hover, select:hover { border-color: var(--dim); }
input { font: var(--mono); width: 100%; }
select { padding: 0 4px; }
kbd {
  font: 11px/1 ui-monospace, "DejaVu Sans Mono", monospace;
  padding: 1px 4px;
  border: var(--edge);
  border-radius: 3px;
  color: var(--dim);
}
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
mark { background: var(--mark); color: var(--on-mark); }

.switch { display: inline-flex; align-items: center; gap: 6px; }
.switch::before {
  content: "";
  width: 20px;
  height: 12px;
  border-radius: 6px;
  border: 1px solid var(--dim);
  background: radial-gradient(circle at 5px 5px, var(--dim) 3.5px, transparent 4px);
}
.switch[aria-checked="true"]::before {
  border-color: var(--accent);
  background: radial-gradient(circle at 13px 5px, var(--on-accent) 3.5px, var(--accent) 4px);
}
.switch::after { content: "off"; color: var(--dim); min-width: 2em; text-align: left; }
.switch[aria-checked="true"]::after { content: "on"; }

.severity { font-weight: 600; }
.severity.violation { color: var(--violation); }
.severity.warning { color: var(--warning); }
.severity.note { color: var(--note); }
.problem { color: var(--violation); padding: 16px; }
.hint { color: var(--dim); padding: 12px; }
.space { flex: 1; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }

@media (prefers-reduced-motion: no-preference) {
  .waiting .cell { opacity: 0.6; }
}

"""#

    private static let timelineJs: StaticString = #"""
// The timeline: what each side sent, findings between them, silences. A drag, or the keys, choose a time.

import { get, isAborted } from "./api.js";
import { find } from "./dom.js";
import { show } from "./messages.js";
import { choice, choose } from "./state.js";
import * as view from "./view.js";
import { clock, counted, day, size, span } from "./words.js";

const canvas = find("picture", HTMLCanvasElement);
const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
const text = find("span-text", HTMLElement);
const clear = find("span-clear", HTMLButtonElement);
const slowest = find("slowest", HTMLButtonElement);

/** @type {Picture | null} */
let picture = null;
/**
 * The range that is being chosen, in buckets.
 * @type {[number, number] | null}
 */
let range = null;
let cursor = -1;
let isDragged = false;
let timer = 0;
/** Milliseconds that the last one took to come. */
let took = 0;

/**
 * The colour of a custom property of the theme.
 * @param {string} name
 */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** How many buckets fit: one for two pixels. */
const buckets = () => Math.max(10, Math.min(2000, Math.floor(canvas.clientWidth / 2)));

async function fetchPicture() {
  await view.settled();
  const name = view.current();
  if (!name || canvas.clientWidth === 0) return;
  try {
    const asked = performance.now();
    const got = await get(`views/${name}/timeline?buckets=${buckets()}`, view.signal());
    if (name !== view.current()) return;
    took = performance.now() - asked;
    picture = got;
    draw();
    if (!got.complete) refresh(1000);
  } catch (error) {
    if (!isAborted(error)) picture = null;
  }
}

/**
 * Fetches it after a pause.
 * @param {number} pause
 */
function refresh(pause) {
  if (timer) return;
  timer = window.setTimeout(() => {
    timer = 0;
    void fetchPicture();
  }, pause);
}

/**
 * The time of the beginning of a bucket.
 * @param {number} bucket
 */
function timeAt(bucket) {
  if (!picture) return 0n;
  const [first, last] = [BigInt(picture.first), BigInt(picture.last)];
  return first + ((last - first + 1n) * BigInt(Math.round(bucket))) / BigInt(picture.client.length);
}

/**
 * The quietest stretch that is worth a word, as buckets.
 * @param {Picture} shown
 */
function silences(shown) {
  /** @type {[number, number][]} */
  const found = [];
  let start = 0;
  for (let bucket = 0; bucket <= shown.client.length; bucket += 1) {
    const isQuiet = bucket < shown.client.length && shown.client[bucket] + shown.server[bucket] === 0;
    if (isQuiet) continue;
    if (bucket - start > shown.client.length / 24) found.push([start, bucket]);
    start = bucket + 1;
  }
  return found;
}

function draw() {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  pen.scale(ratio, ratio);
  const middle = Math.round(height / 2);
  pen.fillStyle = colour("line");
  pen.fillRect(0, middle, width, 1);
  if (!picture || picture.client.length === 0) {
    text.textContent = "";
    return;
  }
  const across = width / picture.client.length;
  drawSilences(picture, across, middle);
  drawLane(picture.client, picture.client_bytes, across, middle - 6, -1, colour("client"));
  drawLane(picture.server, picture.server_bytes, across, middle + 7, 1, colour("server"));
  drawTrips(picture, width, middle);
  drawFindings(picture, width, middle);
  drawChoice(across, height);
  describe();
}

/**
 * @param {number[]} counts
 * @param {number[]} bytes
 * @param {number} across
 * @param {number} base
 * @param {1 | -1} way
 * @param {string} fill
 */
function drawLane(counts, bytes, across, base, way, fill) {
  const tallest = canvas.clientHeight / 2 - 9;
  const top = Math.max(...bytes, 1);
  pen.fillStyle = fill;
  for (let bucket = 0; bucket < counts.length; bucket += 1) {
    if (counts[bucket] === 0) continue;
    const tall = Math.max(3, Math.sqrt(bytes[bucket] / top) * tallest);
    pen.fillRect(bucket * across, way < 0 ? base - tall : base, Math.min(8, Math.max(1, across - (across > 3 ? 1 : 0))), tall);
  }
}

/**
 * @param {Picture} shown
 * @param {number} across
 * @param {number} middle
 */
function drawSilences(shown, across, middle) {
  pen.font = "11px system-ui, sans-serif";
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  for (const [start, end] of silences(shown)) {
    const words = `${span(timeAt(end) - timeAt(start))} silence`;
    const wide = pen.measureText(words).width;
    if ((end - start) * across < wide + 12) continue;
    const center = ((start + end) / 2) * across;
    pen.fillStyle = colour("back");
    pen.fillRect(center - wide / 2 - 4, middle - 2, wide + 8, 5);
    pen.fillStyle = colour("dim");
    pen.fillText(words, center, middle + 0.5);
  }
}

/**
 * The longest round trips: pings above the middle, responses below.
 * @param {Picture} shown
 * @param {number} width
 * @param {number} middle
 */
function drawTrips(shown, width, middle) {
  const first = BigInt(shown.first);
  const scale = width / (Number(BigInt(shown.last) - first) || 1);
  pen.fillStyle = colour("dim");
  for (const { time, took, ping } of shown.trips) {
    const wide = Math.max(2, Number(took) * scale);
    pen.fillRect(Number(BigInt(time) - first) * scale - wide, middle + (ping ? -4 : 4), wide, 2);
  }
}

/**
 * Findings as shapes: a triangle, a diamond, a circle.
 * @param {Picture} shown
 * @param {number} width
 * @param {number} middle
 */
function drawFindings(shown, width, middle) {
  const [first, last] = [BigInt(shown.first), BigInt(shown.last)];
  const whole = Number(last - first) || 1;
  for (const finding of shown.findings ?? []) {
    const x = Math.max(5, Math.min(width - 5, (Number(BigInt(finding.time) - first) / whole) * width));
    pen.fillStyle = colour(finding.severity);
    pen.beginPath();
    if (finding.severity === "violation") {
      pen.moveTo(x, middle - 5);
      pen.lineTo(x + 5, middle + 5);
      pen.lineTo(x - 5, middle + 5);
    } else if (finding.severity === "warning") {
      pen.moveTo(x, middle - 5);
      pen.lineTo(x + 5, middle);
      pen.lineTo(x, middle + 5);
      pen.lineTo(x - 5, middle);
    } else {
      pen.arc(x, middle, 3, 0, 7);
    }
    pen.fill();
  }
}

/**
 * @param {number} across
 * @param {number} height
 */
function drawChoice(across, height) {
  if (range) {
    const [start, end] = [Math.min(...range), Math.max(...range)];
    pen.globalAlpha = 0.25;
    pen.fillStyle = colour("accent");
    pen.fillRect(start * across, 0, Math.max(1, (end - start) * across), height);
    pen.globalAlpha = 1;
  }
  if (cursor >= 0 && document.activeElement === canvas) {
    pen.fillStyle = colour("accent");
    pen.fillRect(cursor * across, 0, 2, height);
  }
}

/** What is shown, in words. */
function describe() {
  if (!picture) return;
  const [first, last] = [BigInt(picture.first), BigInt(picture.last)];
  const lastDay = day(last) === day(first) ? "" : `${day(last)} `;
  let words = `${day(first)} ${clock(first)} to ${lastDay}${clock(last)} UTC, ${span(last - first)}`;
  if (range) {
    const [start, end] = [timeAt(Math.min(...range)), timeAt(Math.max(...range))];
    words = `${clock(start)} to ${clock(end)}, ${span(end - start)}`;
  } else if (cursor >= 0) {
    const bucket = Math.min(cursor, picture.client.length - 1);
    const client = `${picture.client[bucket]} from the client, ${size(picture.client_bytes[bucket])}`;
    words = `${clock(timeAt(bucket))}: ${client}; ${picture.server[bucket]} from the server, ${size(picture.server_bytes[bucket])}`;
  }
  text.textContent = words;
  const total = counted(picture.findings?.length ?? 0, "finding");
  const longest = slowestTrip();
  slowest.hidden = !longest;
  slowest.textContent = longest ? `Slowest reply: ${span(Number(longest.took))}` : "";
  canvas.ariaLabel = `Timeline: ${words}; ${total}. Arrow keys move, with Shift they choose a time, Enter applies it.`;
  clear.hidden = choice.since === null && choice.until === null;
}

const slowestTrip = () => picture?.trips.reduce((most, trip) => (Number(trip.took) > Number(most.took) ? trip : most), picture.trips[0]);

slowest.addEventListener("click", () => {
  const id = slowestTrip()?.id;
  if (id) show(id);
});

function apply() {
  if (!range || !picture) return;
  const [start, end] = [Math.min(...range), Math.max(...range)];
  range = null;
  cursor = -1;
  if (end > start) choose({ since: String(timeAt(start)), until: String(timeAt(end)) });
  else draw();
}

/** @param {PointerEvent} event */
const bucketOf = (event) => {
  const most = picture?.client.length ?? 0;
  return Math.max(0, Math.min(most, Math.round((event.offsetX / canvas.clientWidth) * most)));
};

canvas.addEventListener("pointerdown", (event) => {
  if (!picture || event.button !== 0) return;
  canvas.setPointerCapture(event.pointerId);
  isDragged = true;
  range = [bucketOf(event), bucketOf(event)];
});
canvas.addEventListener("pointermove", (event) => {
  if (!picture) return;
  if (isDragged && range) range[1] = bucketOf(event);
  else cursor = bucketOf(event);
  draw();
});
canvas.addEventListener("pointerleave", () => {
  if (isDragged) return;
  cursor = -1;
  draw();
});
canvas.addEventListener("pointerup", () => {
  isDragged = false;
  apply();
});
canvas.addEventListener("keydown", (event) => {
  if (!picture) return;
  const most = picture.client.length;
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  if (step !== 0) {
    const before = Math.max(0, cursor);
    cursor = Math.max(0, Math.min(most, before + step * (event.ctrlKey ? 10 : 1)));
    range = event.shiftKey ? [range ? range[0] : before, cursor] : null;
  } else if (event.key === "Home") cursor = 0;
  else if (event.key === "End") cursor = most;
  else if (event.key === "Enter") apply();
  else if (event.key === "Escape" && range) range = null;
  else if (event.key === "Escape" && !clear.hidden) clear.click();
  else return;
  event.preventDefault();
  event.stopPropagation();
  draw();
});
canvas.addEventListener("focus", draw);
canvas.addEventListener("blur", draw);
clear.addEventListener("click", () => choose({ since: null, until: null }));
new ResizeObserver(() => {
  draw();
  if (picture && picture.client.length !== buckets()) refresh(200);
}).observe(canvas);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

view.whenLeft(() => {
  clearTimeout(timer);
  timer = 0;
});
view.whenRenewed(() => {
  range = null;
  refresh(0);
});
view.whenCounted((counts) => refresh(Math.max(counts.complete ? 250 : 1000, 10 * took)));

"""#

    private static let viewJs: StaticString = #"""
// The view at the server: which rows there are for what is chosen, and how many.

import { Refused, get, isAborted, post } from "./api.js";
import { choice } from "./state.js";

/** @type {string | null} */
let name = null;
/** @type {AbortController} */
let life = new AbortController();
let timer = 0;
let isCounting = false;
/** A number is wanted that is newer than the one under way. */
let isWanted = false;
/**
 * The view that is being made, where one is.
 * @type {Promise<boolean> | null}
 */
let making = null;

/** @type {Counts} */
export const none = { total: 0, scanned: 0, rows: 0, complete: false, hidden: {} };

/** @type {Counts} */
export let counts = none;

/** @type {{left: (() => void)[], renewed: (() => void)[], counted: ((counts: Counts) => void)[], refused: ((error: Refused | null) => void)[]}} */
const listeners = { left: [], renewed: [], counted: [], refused: [] };

/** How many rows come with their count. */
export const newest = { rows: 0 };

/** @param {() => void} listener is called when the server closes the view: nothing more may be asked about it */
export const whenLeft = (listener) => listeners.left.push(listener);
/** @param {() => void} listener is called when the view is another one */
export const whenRenewed = (listener) => listeners.renewed.push(listener);
/** @param {(counts: Counts) => void} listener is called when there are more rows */
export const whenCounted = (listener) => listeners.counted.push(listener);
/** @param {(error: Refused | null) => void} listener is called with what is wrong with the filter */
export const whenRefused = (listener) => listeners.refused.push(listener);

/** @returns {string | null} what the server calls the view */
export const current = () => name;
/** @returns {AbortSignal} of everything that is asked about the view */
export const signal = () => life.signal;

/**
 * Makes a view of what is chosen. What is asked about the old one is aborted, but never the request for a view itself: the server would
 * close the old one for a new one that the page knows nothing of.
 * @returns {Promise<boolean>} whether there is one
 */
export async function renew() {
  life.abort();
  life = new AbortController();
  clearTimeout(timer);
  for (const listener of listeners.left) listener();
  const before = making;
  const { signal } = life;
  const made = (async () => {
    await before?.catch(() => {});
    return signal.aborted ? false : make(signal);
  })();
  making = made;
  try {
    return await made;
  } finally {
    if (making === made) making = null;
  }
}

/** @param {AbortSignal} signal aborted where another view is wanted by now */
async function make(signal) {
  try {
    const { conversation, filter, search, heartbeats, since, until, kinds } = choice;
    const request = { conversation, filter, search, heartbeats, since, until, kinds, replaces: name ?? undefined };
    name = (await post("views", request)).view;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    for (const listener of listeners.refused) listener(error);
    return false;
  }
  if (signal.aborted) return false;
  counts = none;
  for (const listener of listeners.refused) listener(null);
  for (const listener of listeners.renewed) listener();
  void recount();
  return true;
}

/** Waits until no view is being made. */
export async function settled() {
  while (making) await making.catch(() => {});
}

export async function recount() {
  isWanted = true;
  if (isCounting) return;
  isCounting = true;
  try {
    while (isWanted) {
      isWanted = false;
      await count();
    }
  } finally {
    isCounting = false;
  }
}

async function count() {
  clearTimeout(timer);
  await settled();
  const asked = name;
  if (!asked) return;
  try {
    take(await get(`views/${asked}/rows?from=0&count=0`, life.signal));
    if (asked === name && counts.scanned < counts.rows) timer = window.setTimeout(() => void recount(), 120);
  } catch (error) {
    if (isAborted(error) || asked !== name) return;
    if (error instanceof Refused && error.status === 404) {
      name = null;
      await renew();
    } else {
      timer = window.setTimeout(() => void recount(), 2000);
    }
  }
}

/** @param {Counts} news of the server, requested or not */
export function take(news) {
  clearTimeout(timer);
  counts = news;
  for (const listener of listeners.counted) listener(news);
}

/**
 * Rows by position.
 * @param {number} from
 * @param {number} count
 * @param {AbortSignal} abort
 * @returns {Promise<{total: number, list: Row[]}>}
 */
export async function rows(from, count, abort) {
  await settled();
  abort.throwIfAborted();
  if (!name) return { total: 0, list: [] };
  return get(`views/${name}/rows?from=${from}&count=${count}`, abort);
}

/**
 * Where a row is, or the next one after it.
 * @param {number} id
 * @returns {Promise<number | null>}
 */
export async function position(id) {
  await settled();
  if (!name) return null;
  try {
    return (await get(`views/${name}/position?id=${id}`, life.signal)).position;
  } catch (error) {
    if (isAborted(error) || error instanceof Refused) return null;
    throw error;
  }
}

"""#

    private static let virtualListJs: StaticString = #"""
// A list of any length in a few elements. Browsers limit the height of an element, so above a bound the scroll bar is mapped: wheel and
// keys move by pixels, a dragged thumb chooses among all rows.

const tallest = 8_000_000;
const spare = 3;

/**
 * @typedef {object} Rows
 * @property {number} height of a row in pixels
 * @property {number} [inset] pixels at the top of the viewport that stay: those of a head
 * @property {() => HTMLElement} make makes an element for a row
 * @property {(element: HTMLElement, index: number) => void} fill shows a row in an element
 * @property {(first: number, last: number) => void} [seen] is called with the range that is shown, the last one not included
 */

export class VirtualList {
  /**
   * @param {HTMLElement} viewport which scrolls
   * @param {Rows} rows
   */
  constructor(viewport, rows) {
    this.viewport = viewport;
    this.rows = rows;
    this.count = 0;
    /** The pixel of the whole list that is at the top of the viewport. */
    this.top = 0;
    /** The scroll position of the viewport that belongs to it. */
    this.native = 0;
    /** @type {Map<number, HTMLElement>} */
    this.shown = new Map();
    /** @type {HTMLElement[]} */
    this.unused = [];
    this.layer = document.createElement("div");
    this.layer.className = "layer";
    this.layer.role = "presentation";
    this.extent = document.createElement("div");
    this.extent.className = "extent";
    this.extent.role = "presentation";
    viewport.append(this.extent, this.layer);
    this.settling = 0;
    viewport.addEventListener("scroll", () => this.scrolled(), { passive: true });
    new ResizeObserver(() => this.resized()).observe(viewport);
  }

  get height() { return this.viewport.clientHeight - (this.rows.inset ?? 0); }
  get whole() { return this.count * this.rows.height; }
  /** How far the list goes beyond its viewport, in its own pixels and in those of the scroll bar. */
  get range() { return Math.max(0, this.whole - this.height); }
  get nativeRange() { return Math.max(0, Math.min(this.whole, tallest) - this.height); }
  get isMapped() { return this.whole > tallest; }
  get isAtEnd() { return this.top >= this.range - 1; }

  /** @param {number} count */
  setCount(count) {
    if (count === this.count) return;
    const shrinks = count < this.count;
    this.count = count;
    this.extent.style.height = `${Math.min(this.whole, tallest)}px`;
    if (shrinks) {
      for (const [index, element] of this.shown) if (index >= count) this.release(index, element);
    }
    this.moveTo(Math.min(this.top, this.range));
  }

  resized() {
    this.moveTo(Math.min(this.top, this.range));
  }

  scrolled() {
    const now = this.viewport.scrollTop;
    const moved = now - this.native;
    if (moved === 0) return;
    this.native = now;
    if (!this.isMapped) {
      this.top = now;
    } else if (Math.abs(moved) > Math.min(2 * this.height, (0.4 * tallest) / this.height)) {
      this.top = (now / this.nativeRange) * this.range;
    } else {
      this.top = Math.max(0, Math.min(this.range, this.top + moved));
    }
    this.render();
    if (!this.isMapped) return;
    clearTimeout(this.settling);
    const isStuck = (now <= 0 && this.top > 0) || (now >= this.nativeRange - 1 && this.top < this.range);
    if (isStuck) this.settle();
    else this.settling = window.setTimeout(() => this.settle(), 200);
  }

  /** Puts the scroll bar to where it belongs for the rows that are shown; they do not move. */
  settle() {
    const wanted = this.range === 0 ? 0 : this.isMapped ? (this.top / this.range) * this.nativeRange : this.top;
    if (Math.abs(wanted - this.native) >= 1 || !this.isMapped) this.viewport.scrollTop = wanted;
    this.native = this.viewport.scrollTop;
    if (!this.isMapped) this.top = this.native;
    this.render();
  }

  /** @param {number} top */
  moveTo(top) {
    this.top = Math.max(0, Math.min(this.range, top));
    this.settle();
  }

  /**
   * Moves as little as is needed to have a row in view.
   * @param {number} index
   */
  reveal(index) {
    const from = index * this.rows.height;
    if (from < this.top) this.moveTo(from);
    else if (from + this.rows.height > this.top + this.height) this.moveTo(from + this.rows.height - this.height);
  }

  /** @param {number} index */
  center(index) {
    this.moveTo(index * this.rows.height - (this.height - this.rows.height) / 2);
  }

  /**
   * @param {number} index
   * @param {HTMLElement} element
   */
  release(index, element) {
    this.shown.delete(index);
    element.remove();
    if (this.unused.length < 12) this.unused.push(element);
  }

  render() {
    const height = this.rows.height;
    const first = Math.max(0, Math.floor(this.top / height) - spare);
    const last = Math.min(this.count, Math.ceil((this.top + this.height) / height) + spare);
    for (const [index, element] of this.shown) if (index < first || index >= last) this.release(index, element);
    this.layer.style.transform = `translateY(${this.native - this.top + first * height}px)`;
    /** @type {HTMLElement | null} */
    let before = null;
    for (let index = first; index < last; index += 1) {
      let element = this.shown.get(index);
      if (!element) {
        element = this.unused.pop() ?? this.rows.make();
        this.shown.set(index, element);
        this.rows.fill(element, index);
        if (before) before.after(element);
        else this.layer.prepend(element);
      }
      before = element;
    }
    this.rows.seen?.(first, last);
  }

  /** Shows the rows of a range anew. */
  refill(first = 0, last = this.count) {
    for (const [index, element] of this.shown) if (index >= first && index < last) this.rows.fill(element, index);
  }
}

"""#

    private static let windowsJs: StaticString = #"""
// The rows near what is shown, fetched by position in windows; what has gone out of view is aborted.

import { isAborted } from "./api.js";

/** How many rows a window has. */
export const width = 64;
const most = 48;

/**
 * @template Item
 * @typedef {object} Source
 * @property {(from: number, count: number, signal: AbortSignal) => Promise<{total: number, list: Item[]}>} fetch
 * @property {(first: number, last: number) => void} arrived
 * @property {(error: unknown) => void} failed
 * @property {() => boolean} [isAtTip] whether what is shown is the newest: it is fetched by itself
 */

/** @template Item */
export class Windows {
  /** @param {Source<Item>} source */
  constructor(source) {
    this.source = source;
    /** @type {Map<number, Item[]>} by number of the window, the last used last */
    this.kept = new Map();
    /** @type {Map<number, AbortController>} */
    this.underway = new Map();
    this.total = 0;
    this.timer = 0;
    this.range = { first: 0, last: 0 };
    /** @type {{first: number, list: Item[]}} */
    this.tip = { first: 0, list: [] };
    this.wantedAt = 0;
  }

  /** Forgets everything: the view is another one. */
  clear() {
    this.stop();
    this.kept.clear();
    this.tip.list = [];
    this.total = 0;
  }

  /** Aborts what is under way; what is there stays. */
  stop() {
    clearTimeout(this.timer);
    for (const controller of this.underway.values()) controller.abort();
    this.underway.clear();
  }

  /**
   * @param {number} index
   * @returns {Item | undefined}
   */
  at(index) {
    return this.tip.list[index - this.tip.first] ?? this.kept.get(Math.floor(index / width))?.[index % width];
  }

  /** @param {number} number of a window */
  isWhole(number) {
    const list = this.kept.get(number);
    return list !== undefined && list.length >= Math.min(width, this.total - number * width);
  }

  /**
   * Says which rows are shown: they are fetched at once, or when the scrolling pauses.
   * @param {number} first
   * @param {number} last not included
   */
  want(first, last) {
    this.range = { first, last };
    clearTimeout(this.timer);
    const isQuick = performance.now() - this.wantedAt < 50;
    this.wantedAt = performance.now();
    if (isQuick && this.underway.size > 1) this.timer = window.setTimeout(() => this.fetchShown(), 40);
    else this.fetchShown();
  }

  fetchShown() {
    if (this.source.isAtTip?.()) return void this.fetch(-1);
    const from = Math.floor(this.range.first / width);
    const to = Math.floor(Math.max(this.range.first, Math.min(this.range.last, this.total) - 1) / width);
    for (const [number, controller] of this.underway) {
      if (number >= from && number <= to) continue;
      controller.abort();
      this.underway.delete(number);
    }
    for (let number = from; number <= to; number += 1) {
      if (number * width < this.total && !this.isWhole(number) && !this.underway.has(number)) this.fetch(number);
    }
  }

  /** Fetches what is shown although it is there: it may have changed. */
  refresh() {
    const from = Math.floor(this.range.first / width);
    const to = Math.floor(Math.max(this.range.first, this.range.last - 1) / width);
    for (const number of this.kept.keys()) if (number < from || number > to) this.kept.delete(number);
    for (let number = from; number <= to; number += 1) if (!this.underway.has(number)) this.fetch(number);
  }

  /** @param {number} number -1 for what is shown at the tip */
  async fetch(number) {
    const isTip = number < 0;
    const first = isTip ? this.range.first : number * width;
    const last = isTip ? Math.min(this.range.last, this.total) : first + width;
    if (isTip && (first >= last || this.underway.has(-1) || (this.at(first) && this.at(last - 1)))) return;
    const controller = new AbortController();
    this.underway.set(number, controller);
    try {
      const { list } = await this.source.fetch(first, last - first, controller.signal);
      if (controller.signal.aborted) return;
      if (isTip) {
        this.tip = { first, list };
      } else {
        this.kept.delete(number);
        this.kept.set(number, list);
      }
      for (const old of this.kept.keys()) {
        if (this.kept.size <= most) break;
        if (old !== number) this.kept.delete(old);
      }
      this.source.arrived(first, last);
    } catch (error) {
      if (!isAborted(error)) this.source.failed(error);
    } finally {
      if (this.underway.get(number) === controller) this.underway.delete(number);
    }
    if (isTip && Math.min(this.range.last, this.total) > last) this.fetchShown();
  }
}

"""#

    private static let wordsJs: StaticString = #"""
// Numbers, times and kinds as words.

/** @param {number} count */
export function grouped(count) {
  return count.toLocaleString("en-US");
}

/**
 * @param {number} count
 * @param {string} singular
 */
export function counted(count, singular) {
  return `${grouped(count)} ${singular}${count === 1 ? "" : "s"}`;
}

/** @param {number} count bytes, rounded to three digits */
export function size(count) {
  if (count < 1000) return `${count} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let [value, unit] = [count / 1000, 0];
  while (value >= 999.5 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** @param {bigint | number} nanoseconds a span, rounded */
export function span(nanoseconds) {
  const value = Number(nanoseconds);
  const sign = value < 0 ? "−" : "";
  const amount = Math.abs(value);
  /** @param {number} number */
  const short = (number) => (number < 9.95 ? number.toFixed(1) : String(Math.round(number)));
  if (amount < 1e3) return `${sign}${amount} ns`;
  if (amount < 999.5e3) return `${sign}${short(amount / 1e3)} µs`;
  if (amount < 999.5e6) return `${sign}${short(amount / 1e6)} ms`;
  if (amount < 119.5e9) return `${sign}${short(amount / 1e9)} s`;
  if (amount < 119.5 * 60e9) return `${sign}${Math.round(amount / 60e9)} min`;
  if (amount < 47.5 * 3600e9) return `${sign}${Math.round(amount / 3600e9)} h`;
  return `${sign}${Math.round(amount / 86400e9)} d`;
}

/**
 * The time of day in UTC.
 * @param {string | bigint} nanoseconds since 1970
 * @param {number} [digits] after the decimal point
 */
export function clock(nanoseconds, digits = 3) {
  const value = BigInt(nanoseconds);
  const date = new Date(Number(value / 1_000_000n));
  if (Number.isNaN(date.getTime())) return "";
  const fraction = String(value % 1_000_000_000n).padStart(9, "0").slice(0, digits);
  return `${date.toISOString().slice(11, 19)}.${fraction}`;
}

/** @param {string | bigint} nanoseconds since 1970; the moment in UTC as RFC 3339 has it */
export function moment(nanoseconds) {
  const value = BigInt(nanoseconds);
  const date = new Date(Number(value / 1_000_000n));
  if (Number.isNaN(date.getTime())) return "";
  return `${date.toISOString().slice(0, 19)}.${String(value % 1_000_000_000n).padStart(9, "0")}Z`;
}

/** @param {string | bigint} nanoseconds since 1970 */
export function day(nanoseconds) {
  return moment(nanoseconds).slice(0, 10);
}

/**
 * Seconds after the opening of a conversation, with three decimals.
 * @param {string} time
 * @param {string} opened
 */
export function after(time, opened) {
  return (Number(BigInt(time) - BigInt(opened)) / 1e9).toFixed(3);
}

/** What stands for a severity: a shape and a word. */
export const severities = /** @type {Record<string, {shape: string, word: string}>} */ ({
  violation: { shape: "▲", word: "violation" },
  warning: { shape: "◆", word: "warning" },
  note: { shape: "●", word: "note" },
});

/** @param {0 | 1 | null | undefined} side */
export function sender(side) {
  return side === 0 ? "client →" : side === 1 ? "← server" : "";
}

/**
 * Control characters and marks of direction, as a visible sign each.
 * @param {string} text
 */
export function visible(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, (sign) => {
    const code = sign.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

"""#
}
