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
