// The buttons of a row: copy it in a form, save its payload.

import { file } from "./api.js";
import { hasPayload, ways } from "./copies.js";
import { button, make } from "./dom.js";
import { menu } from "./menu.js";
import { run } from "./run.js";
import { reason, say } from "./saying.js";

const mostCopied = 8 << 20;

/** @param {string} text */
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const isDone = document.execCommand("copy");
  area.remove();
  if (!isDone) throw new Error("the browser refused to copy");
}

/**
 * Opens the menu of the row that is shown.
 * @type {() => void}
 */
export let openCopies = () => {};
/** @type {() => void} */
export let savePayload = () => {};

/**
 * @param {Detail} detail
 * @param {Conversation | null} conversation
 * @param {import("./hex.js").Payload | null} payload
 */
export function payloadMenus(detail, conversation, payload) {
  /** @param {typeof ways[number]} way */
  const hand = async (way) => {
    try {
      const bytes = payload ? await payload.whole(mostCopied) : new Uint8Array();
      const files = run.saved ? [run.saved] : run.inputs;
      await copy(way.made({ detail, bytes, conversation, files }));
      const cut = payload && payload.length > mostCopied ? ", the first 8 MiB" : "";
      say(`Copied: ${way.name}${cut}`);
    } catch (error) {
      say(`Not copied: ${reason(error)}`);
    }
  };
  const copies = menu("Copy", () => ways
    .filter((way) => way.fits?.(detail) ?? true)
    .map((way) => ({ name: way.name, action: () => void hand(way) })), "y");
  openCopies = copies.open;
  savePayload = () => say("This row has no payload.");
  if (!payload || !hasPayload(detail)) return [copies.holder];
  savePayload = () => void save(detail, payload);
  const saving = button("Save", savePayload);
  saving.ariaKeyShortcuts = "s";
  saving.title = "Save the payload to a file";
  return [copies.holder, saving];
}

/**
 * @param {Detail} detail
 * @param {import("./hex.js").Payload} payload
 */
const save = (detail, payload) => download(`message-${detail.id}.bin`,
  async () => new Blob([await payload.whole()], { type: "application/octet-stream" }));

/**
 * @param {string} name
 * @param {() => Promise<Blob>} content
 */
async function download(name, content) {
  try {
    const address = URL.createObjectURL(await content());
    const link = make("a");
    link.href = address;
    link.download = name;
    link.click();
    window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
  } catch (error) {
    say(`Not saved: ${reason(error)}`);
  }
}

/** @param {number} number of the conversation that is saved as an HTML file */
export function pageMenu(number) {
  const entry = (/** @type {string} */ name, /** @type {number} */ redact) => ({
    name,
    action: () => void download(`conversation-${number}.html`, () => file(`conversations/${number}/page?redact=${redact}`)),
  });
  const pages = menu("Save", () => [entry("HTML file", 0), entry("HTML file, redacted", 1)], "s");
  savePayload = pages.open;
  return pages.holder;
}
