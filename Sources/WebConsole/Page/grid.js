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
