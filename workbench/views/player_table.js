// The fusion player's table twin of a step, and its keys in words.
import { h, number } from "./common.js";

const HELP = [
  ["Space", "play and pause"],
  [". and ,", "one step on, one step back"],
  ["Home, End", "the first and the last step"],
  ["R", "rank by rank, or a lane at once"],
  ["T", "this step as a table"],
  ["Esc", "close"],
];

/** The keys as a table. */
export function helpTable() {
  return h("table", null, h("tbody", null, HELP.map(([key, text]) => h("tr", null, h("th", { scope: "row" }, h("kbd", { text: key })), h("td", { text })))));
}

/** A step as a table: every watched candidate's rank and term by lane, and its total so far. */
export function stepTable(reel, now) {
  const { given } = reel;
  const heads = ["place", "candidate", ...given.lanes, "total"].map((text) => h("th", { scope: "col", text }));
  const lines = now.rows.map((row, i) => {
    const { tag, title, id } = reel.cards.get(row);
    const terms = given.lanes.map((_, lane) => {
      const term = reel.termIn(now, row, lane);
      if (!reel.counted(now, row, lane)) return "";
      return Number.isNaN(term) ? "not returned" : `${given.ranks[lane][row]}: ${number(term)}`;
    });
    const cells = [now.places[i] ?? "", `${tag} · ${title} (${id})`, ...terms, now.totals[i] === null ? "" : number(now.totals[i], 6)];
    return h("tr", null, cells.map((text) => h("td", { text: String(text) })));
  });
  const rows = h("table", null, h("thead", null, h("tr", null, heads)), h("tbody", null, lines));
  return [h("div", { class: "wb-soft", text: now.sentence }), h("div", { class: "wb-tablebox", tabindex: "0", role: "region", "aria-label": "Table" }, rows)];
}
