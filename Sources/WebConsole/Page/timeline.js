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
