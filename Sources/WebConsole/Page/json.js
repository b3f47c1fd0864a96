// Reads JSON into flat arrays, with the range of bytes of every value, in slices of some milliseconds and without recursion. Trusted Types
// without a policy allow no worker.

const patience = 8;

/** Kinds of values. */
export const kinds = { object: 0, array: 1, string: 2, number: 3, word: 4 };

export class NotJSON extends Error {
  /**
   * @param {string} message
   * @param {number} offset
   */
  constructor(message, offset) {
    super(message);
    this.offset = offset;
  }
}

/** A column of numbers that grows. */
class Column {
  constructor() {
    this.values = new Int32Array(256);
    this.count = 0;
  }
  /** @param {number} value */
  push(value) {
    if (this.count === this.values.length) {
      const wider = new Int32Array(this.count * 2);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.count] = value;
    this.count += 1;
  }
}

export class Tree {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.kind = new Column();
    this.start = new Column();
    this.end = new Column();
    /** Of the key of a member, with its quotes; -1 where there is none. */
    this.keyStart = new Column();
    this.keyEnd = new Column();
    this.parent = new Column();
    this.depth = new Column();
    /** How many children, and the first node that is not inside. */
    this.children = new Column();
    this.next = new Column();
  }

  get count() { return this.kind.count; }

  /**
   * @param {number} kind
   * @param {number} parent
   * @param {number} start
   * @param {[number, number]} key
   */
  add(kind, parent, start, key) {
    const node = this.count;
    this.kind.push(kind);
    this.start.push(start);
    this.end.push(start);
    this.keyStart.push(key[0]);
    this.keyEnd.push(key[1]);
    this.parent.push(parent);
    this.depth.push(parent < 0 ? 0 : this.depth.values[parent] + 1);
    this.children.push(0);
    this.next.push(node + 1);
    if (parent >= 0) this.children.values[parent] += 1;
    return node;
  }

  /**
   * @param {number} start
   * @param {number} end
   * @param {number} [most]
   */
  text(start, end, most = 400) {
    const cut = end - start > most;
    return new TextDecoder().decode(this.bytes.subarray(start, cut ? start + most : end)) + (cut ? "…" : "");
  }

  /**
   * The innermost node that has a byte.
   * @param {number} byte
   */
  nodeAt(byte) {
    let found = -1;
    for (let node = 0; node < this.count;) {
      const from = this.keyStart.values[node] >= 0 ? this.keyStart.values[node] : this.start.values[node];
      if (byte >= from && byte < this.end.values[node]) {
        found = node;
        node += 1;
      } else {
        node = this.next.values[node];
      }
    }
    return found;
  }
}

/** @param {number} byte */
const isSpace = (byte) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/**
 * @param {Uint8Array} bytes
 * @param {number} at the opening quote
 * @returns {number} the byte after the closing quote
 */
function stringEnd(bytes, at) {
  for (let index = at + 1; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === 0x22) return index + 1;
    if (byte === 0x5c) index += 1;
    else if (byte < 0x20) throw new NotJSON("a control character in a string", index);
  }
  throw new NotJSON("a string without an end", at);
}

const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * @param {Uint8Array} bytes
 * @param {AbortSignal} [signal]
 * @returns {Promise<Tree>}
 */
export async function readJSON(bytes, signal) {
  const tree = new Tree(bytes);
  /** @type {number[]} the containers that are open */
  const open = [];
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let until = performance.now() + patience;
  let steps = 0;
  /** What may come: a value, a value or the end, a comma or the end. */
  let state = "value";
  /**
   * @param {number} node
   * @param {number} end
   */
  const finish = (node, end) => {
    tree.end.values[node] = end;
    tree.next.values[node] = tree.count;
  };
  const skip = () => {
    while (at < bytes.length && isSpace(bytes[at])) at += 1;
  };
  for (skip(); at < bytes.length; skip()) {
    steps += 1;
    if (steps % 256 === 0 && performance.now() > until) {
      await new Promise((resume) => setTimeout(resume));
      signal?.throwIfAborted();
      until = performance.now() + patience;
    }
    const byte = bytes[at];
    const parent = open.length > 0 ? open[open.length - 1] : -1;
    if (state === "end") throw new NotJSON("more after the value", at);
    if (byte === 0x7d || byte === 0x5d) {
      const closes = byte === 0x7d ? kinds.object : kinds.array;
      if (parent < 0 || state === "value" || tree.kind.values[parent] !== closes) throw new NotJSON("an unexpected bracket", at);
      at += 1;
      finish(parent, at);
      open.pop();
      state = open.length === 0 ? "end" : "comma";
      continue;
    }
    if (state === "comma") {
      if (byte !== 0x2c) throw new NotJSON("a comma is missing", at);
      at += 1;
      state = "value";
      continue;
    }
    /** @type {[number, number]} */
    let key = [-1, -1];
    if (parent >= 0 && tree.kind.values[parent] === kinds.object) {
      if (byte !== 0x22) throw new NotJSON("a key is missing", at);
      key = [at, stringEnd(bytes, at)];
      at = key[1];
      skip();
      if (bytes[at] !== 0x3a) throw new NotJSON("a colon is missing", at);
      at += 1;
      skip();
    }
    const first = bytes[at];
    state = open.length === 0 ? "end" : "comma";
    if (first === 0x7b || first === 0x5b) {
      open.push(tree.add(first === 0x7b ? kinds.object : kinds.array, parent, at, key));
      at += 1;
      state = "first";
    } else if (first === 0x22) {
      const end = stringEnd(bytes, at);
      finish(tree.add(kinds.string, parent, at, key), end);
      at = end;
    } else {
      let end = at;
      while (end < bytes.length && !isSpace(bytes[end]) && ![0x2c, 0x5d, 0x7d].includes(bytes[end]) && end - at < 400) end += 1;
      const word = String.fromCharCode(...bytes.subarray(at, end));
      const isWord = word === "true" || word === "false" || word === "null";
      if (!isWord && !number.test(word)) throw new NotJSON("neither a number nor a word of JSON", at);
      finish(tree.add(isWord ? kinds.word : kinds.number, parent, at, key), end);
      at = end;
    }
  }
  if (state !== "end") throw new NotJSON("the end is missing", bytes.length);
  return tree;
}
