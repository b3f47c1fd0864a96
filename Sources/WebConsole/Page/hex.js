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
