// Making elements. Text from the wire only ever becomes a text node: nothing on this page reads a string as HTML.

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string | null} [className]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, className, ...children) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/**
 * The element with an id of index.html.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
export function find(id, kind) {
  const element = document.getElementById(id);
  if (!(element instanceof kind)) throw new Error(`index.html has no ${id}`);
  return element;
}

/**
 * @param {string} label
 * @param {() => void} action
 * @param {string} [className]
 */
export function button(label, action, className) {
  const element = make("button", className ?? null, label);
  element.type = "button";
  element.addEventListener("click", action);
  return element;
}
