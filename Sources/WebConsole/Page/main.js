// Starts all.

import { token } from "./api.js";
import * as conversations from "./conversations.js";
import * as detail from "./detail.js";
import "./dividers.js";
import "./filter-box.js";
import "./keys.js";
import * as messages from "./messages.js";
import * as notes from "./notes.js";
import * as run from "./run.js";
import { choice, fromFragment, choose, whenChosen } from "./state.js";
import "./statistics.js";
import "./switches.js";
import "./timeline.js";
import * as view from "./view.js";

/**
 * What a view is made of.
 * @type {(keyof Choice)[]}
 */
const ofView = ["conversation", "filter", "search", "heartbeats", "since", "until", "kinds"];

whenChosen((changed) => {
  if (ofView.some((key) => changed.has(key))) void view.renew().catch(run.lose);
  if (changed.has("follow") && choice.follow) messages.grid.list.moveTo(messages.grid.list.range);
});

const opened = token();
window.addEventListener("hashchange", () => (token() === opened ? choose(fromFragment()) : location.reload()));

run.whenGrown(conversations.grow);

try {
  conversations.renew();
  await Promise.all([run.load(), view.renew()]);
  void detail.show();
  void notes.load().catch(run.lose);
  run.listen();
} catch (error) {
  run.giveUp(error);
}
