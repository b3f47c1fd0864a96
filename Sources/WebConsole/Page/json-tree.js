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
