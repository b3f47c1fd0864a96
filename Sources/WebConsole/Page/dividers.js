// The dividers between the panes: dragged, or moved with keys.

import { find } from "./dom.js";

const panes = find("panes", HTMLElement);

/**
 * @param {string} id
 * @param {string} property of the pane's width, in pixels
 * @param {1 | -1} way 1 where the pane is to the left
 * @param {string} pane
 */
function divider(id, property, way, pane) {
  const element = find(id, HTMLElement);
  const width = () => Math.round(find(pane, HTMLElement).getBoundingClientRect().width);
  /** @param {number} pixels */
  const set = (pixels) => {
    const within = Math.max(120, Math.min(panes.clientWidth - 300, Math.round(pixels)));
    panes.style.setProperty(property, `${within}px`);
    describe();
  };
  const describe = () => {
    element.ariaValueMin = "120";
    element.ariaValueMax = String(Math.max(120, panes.clientWidth - 300));
    element.ariaValueNow = String(width());
  };
  element.addEventListener("pointerdown", (event) => {
    element.setPointerCapture(event.pointerId);
    const [from, before] = [event.clientX, width()];
    /** @param {PointerEvent} moved */
    const move = (moved) => set(before + way * (moved.clientX - from));
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", () => element.removeEventListener("pointermove", move), { once: true });
    event.preventDefault();
  });
  element.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 16 : event.key === "ArrowLeft" ? -16 : 0;
    if (step === 0) return;
    set(width() + way * step);
    event.preventDefault();
  });
  element.addEventListener("dblclick", () => panes.style.removeProperty(property));
  describe();
}

divider("divider-left", "--left", 1, "conversations-pane");
divider("divider-right", "--right", -1, "detail-pane");
