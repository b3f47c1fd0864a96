// The search, the switches and the choice of kinds.

import { find } from "./dom.js";
import { choice, choose, whenChosen } from "./state.js";

const search = find("search", HTMLInputElement);
const kinds = find("kinds", HTMLSelectElement);
const heartbeats = find("heartbeats", HTMLButtonElement);
const follow = find("follow", HTMLButtonElement);
let timer = 0;

function show() {
  heartbeats.ariaChecked = String(choice.heartbeats);
  follow.ariaChecked = String(choice.follow);
  kinds.value = choice.kinds;
  // What is being written is not taken away.
  if (timer === 0) search.value = choice.search;
}

/** Searches after a short pause. */
function apply() {
  clearTimeout(timer);
  timer = 0;
  choose({ search: search.value });
}

search.addEventListener("input", () => {
  clearTimeout(timer);
  timer = window.setTimeout(apply, 150);
});
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") search.value = "";
  else if (event.key !== "Enter") return;
  apply();
  find("messages", HTMLElement).focus();
  event.preventDefault();
});
kinds.addEventListener("change", () => choose({ kinds: kinds.value === "messages" ? "messages" : "all" }));
heartbeats.addEventListener("click", () => choose({ heartbeats: !choice.heartbeats }));
follow.addEventListener("click", () => choose({ follow: !choice.follow }));
whenChosen(show);
show();
