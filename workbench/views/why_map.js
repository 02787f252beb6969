// Who is first at each k × weight of one lane: a grid with the present setting marked.
import { h, letter, listen, number, paint, put, say } from "./common.js";
import { grid as table } from "./panel.js";

/** turn(lane) asks for another lane's map; choose(k, weight) sets the run there. */
export function mapPanel({ sentence, notes, lanes, map }, { turn, choose, live }) {
  const told = h("p", { class: "wbw-sentence", text: sentence });
  const said = notes.map((note) => h("div", { class: "wb-soft", text: note }));
  if (!map) return { el: h("div", null, told, said), move() {}, focused: () => false };
  const { ks, weights, winners, leads, titles, ids, looks, now } = map;
  const here = [weights.indexOf(now[1]), ks.indexOf(now[0])];
  let at = [...here];
  const pick = h("select", { "aria-label": "The lane whose weight is turned", on: { change: () => turn(pick.value) } }, lanes.map((name) => h("option", { value: name, text: name })));
  pick.value = map.lane;
  const words = h("div", { class: "wbw-where" });
  const cells = winners.map((row, i) => row.map((winner, j) => h("i", { class: i === here[0] && j === here[1] ? "wbw-now" : null, style: { background: paint(looks[winner]) }, data: { at: `${i},${j}`, winner: ids[winner] } })));
  const rows = cells.map((row, i) => h("div", { class: "wbw-maprow" }, h("span", { text: i === here[0] || (i % 5 === 0 && Math.abs(i - here[0]) > 1) ? number(weights[i]) : "" }), row)).reverse();
  const axis = h("div", { class: "wbw-maprow wbw-axis" }, h("span", null, "k"), ks.map((k, j) => h("span", { class: j === here[1] ? "wbw-nowk" : null, text: k >= 1000 ? `${number(k / 1000)}k` : number(k) })));
  const field = h("div", { class: "wbw-map", tabindex: "0", role: "application", "aria-label": `Winners over k and the weight of ${map.lane}. Arrows move, Enter sets the run there.` }, rows, axis);
  const point = (cell) => {
    cells[at[0]]?.[at[1]]?.classList.remove("wbw-at");
    at = cell;
    cells[at[0]][at[1]].classList.add("wbw-at");
    const winner = winners[at[0]][at[1]];
    say(words, `k ${number(ks[at[1]])}, ${map.lane} weight ${number(weights[at[0]])}: ${titles[winner]} is first, its lead ${number(100 * leads[at[0]][at[1]], 2)}% of its score`);
  };
  const under = (event) => event.target.dataset?.at?.split(",").map(Number);
  listen(field, "mousemove", (event) => under(event) && point(under(event)));
  listen(field, "click", (event) => under(event) && choose(ks[under(event)[1]], weights[under(event)[0]]));
  listen(field, "focus", () => (point(at), live.say(words.textContent)));
  const key = titles.map((title, i) => h("span", { class: "wbw-winner" }, letter(looks[i]), " ", h("span", { text: title, title: ids[i] })));
  point(at);
  const el = h("div", null, told, said, h("div", { class: "wbo-row" }, h("label", null, "weight of ", pick), h("span", { class: "wb-soft" }, "outlined: the present setting; click a cell to set the run there")), h("div", { class: "wbw-key" }, key), field, words);
  put(field, "data-winners", String(ids.length));
  return {
    el,
    focused: () => document.activeElement === field,
    move(down, right) {
      if (document.activeElement !== field) return;
      const held = (value, most) => Math.min(Math.max(value, 0), most - 1);
      point([held(at[0] - down, weights.length), held(at[1] + right, ks.length)]);
      live.say(words.textContent);
    },
    choose: () => choose(ks[at[1]], weights[at[0]]),
    table: () => table(["weight \\ k", ...ks.map((k) => number(k))], weights.map((weight, i) => [number(weight), ...winners[i].map((winner) => looks[winner].letter)]).reverse(), titles.map((title, i) => `${looks[i].letter}: ${title}`).join(", ")),
  };
}
