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
