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
