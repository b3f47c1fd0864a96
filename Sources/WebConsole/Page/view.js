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
