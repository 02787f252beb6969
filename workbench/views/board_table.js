// The board's table twin, and its keys in words.
import { h, nth, number, share } from "./common.js";

const HELP = [
  ["J / K, ↓ / ↑", "next and previous row"],
  ["← / →", "the lane at the left or right, at the same candidate where it has it"],
  ["Enter", "select: mark it in every lane and say why it stands there"],
  ["P", "pin, to compare others with it"],
  ["T", "the fused order as a table"],
  ["Esc", "close, or let go of what is lit"],
];

/** The fused order as a table, with every lane's rank and term. */
export function fusedTable({ fused, given, state, cards, final }) {
  const shownRows = Math.min(given.n, 200);
  const head = ["place", "candidate", ...given.lanes.map((name) => `${name}: rank, term`), "score", "of the most", "decided by", "final"];
  const line = (place) => {
    const row = fused.order[place];
    const card = cards.get(row);
    const terms = given.lanes.map((_, lane) => {
      const rank = given.ranks[lane][row];
      const term = fused.contributions[place * given.lanes.length + lane];
      return rank > 0 ? `${rank}: ${number(term)}` : "not returned";
    });
    const most = fused.possible ? share(fused.scores[place] / fused.possible) : "no bound";
    const last = final[row] > 0 ? nth(final[row]) : "behind the head";
    return [String(place + 1), card ? `${card.title} (${card.id})` : "…", ...terms, number(fused.scores[place], 6), most, fused.decided[place].replace("_", " "), last];
  };
  const cells = (tag, texts) => h("tr", null, texts.map((text) => h(tag, tag === "th" ? { scope: "col", text } : { text })));
  const body = Array.from({ length: shownRows }, (_, place) => cells("td", line(place)));
  const told = `1–${shownRows} of ${given.n} candidates, ${state.setting.method}; ${state.setting.tieRule}`;
  const whole = h("table", { "aria-label": told }, h("thead", null, cells("th", head)), h("tbody", null, body));
  return [h("div", { class: "wb-soft", text: told }), h("div", { class: "wb-tablebox", tabindex: "0", role: "region", "aria-label": "Table" }, whole)];
}

/** The keys as a table. */
export function helpTable() {
  const line = ([key, text]) => h("tr", null, h("th", { scope: "row" }, h("kbd", { text: key })), h("td", { text }));
  return h("table", null, h("tbody", null, HELP.map(line)));
}
