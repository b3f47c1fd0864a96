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
