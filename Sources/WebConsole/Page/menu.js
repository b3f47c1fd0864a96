// A menu under a button.

import { make } from "./dom.js";

/**
 * @param {string} title
 * @param {() => {name: string, action: () => void}[]} entries are asked for when it opens
 * @param {string} [keys] the key that opens it
 */
export function menu(title, entries, keys) {
  const list = make("div", "menu");
  list.role = "menu";
  list.ariaLabel = title;
  list.hidden = true;
  const button = make("button", null, `${title} `, make("span", "twist", "▾"));
  button.type = "button";
  button.ariaHasPopup = "menu";
  button.ariaExpanded = "false";
  if (keys) button.ariaKeyShortcuts = keys;
  const close = () => {
    list.hidden = true;
    button.ariaExpanded = "false";
  };
  const open = () => {
    list.replaceChildren();
    for (const { name, action } of entries()) {
      const entry = make("button", null, name);
      entry.type = "button";
      entry.role = "menuitem";
      entry.tabIndex = -1;
      entry.addEventListener("click", () => {
        close();
        button.focus();
        action();
      });
      list.append(entry);
    }
    list.hidden = false;
    button.ariaExpanded = "true";
    /** @type {HTMLElement | null} */ (list.firstElementChild)?.focus();
  };
  button.addEventListener("click", () => (list.hidden ? open() : close()));
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    open();
    event.preventDefault();
  });
  const holder = make("span", "menu-holder", button, list);
  holder.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const all = /** @type {HTMLElement[]} */ ([...list.children]);
    const at = all.findIndex((entry) => entry === document.activeElement);
    if (event.key === "Escape") {
      close();
      button.focus();
    } else if (event.key === "ArrowDown") all[(at + 1) % all.length].focus();
    else if (event.key === "ArrowUp") all[(at - 1 + all.length) % all.length].focus();
    else if (event.key === "Home") all[0].focus();
    else if (event.key === "End") all[all.length - 1].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  holder.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node) || !holder.contains(event.relatedTarget)) close();
  });
  return { holder, open };
}
