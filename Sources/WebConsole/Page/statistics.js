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
