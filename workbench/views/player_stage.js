// The fusion player's stage: the lanes with their chips at the left, a line for each watched candidate at the right.
import { fill, h, letter, listen, nth, number, paint } from "./common.js";
import { knob, knobShape } from "./knobs.js";

export const LINE = 30; // px from one candidate to the next
export const GAP = 14; // px that the cut opens
const CHIP = 24;

/** What stands on the stage; the player writes each step into it. */
export class Stage {
  constructor(player) {
    this.player = player;
    this.lanes = h("div", { class: "wbp-lanes" });
    this.list = h("div", { class: "wbp-list", role: "list", "aria-label": "Candidates, best first" });
    this.k = h("div", { class: "wbp-k" });
    this.bodies = new Map();
    this.chips = new Map();
    this.lines = new Map();
    this.knobs = [];
  }

  /** Chips and lines are made anew; knobs only where the fusion is another, so that they keep the focus. */
  build() {
    const { reel, state } = this.player;
    const shape = knobShape(state);
    if (shape !== this.shape) {
      this.shape = shape;
      this.knobs = [];
      fill(this.k, this.turning(null));
      this.bodies = new Map(reel.filled.map((lane) => [lane.name, h("div", { class: "wbp-lane-body" })]));
      fill(this.lanes, reel.filled.map((lane) => {
        const name = h("div", { class: "wbp-lane-name" }, letter(lane), h("b", { class: "wb-line", text: lane.name, title: lane.name }));
        return h("div", { class: "wbp-lane", style: { "--lane": lane.hue }, data: { lane: lane.name } }, name, this.turning(lane), this.bodies.get(lane.name));
      }));
    }
    const rows = [...reel.cards.keys()];
    this.chips.clear();
    for (const lane of reel.filled) this.hang(lane, rows);
    this.lines.clear();
    fill(this.list, rows.map((row) => this.line(row)));
    this.list.style.height = `${rows.length * LINE + GAP}px`;
    const missing = (row) => reel.filled.filter(({ column }) => reel.given.ranks[column][row] <= 0).length;
    // a fixed width for the empty slots, so that every bar has the same scale
    this.list.style.setProperty("--wbp-slots", `${17 * Math.max(0, ...rows.map(missing))}px`);
    this.settle(reel.change);
  }

  turning(lane) {
    const { player } = this;
    const made = knob({ state: player.state, lane, now: () => player.reel.change, drag: (to) => player.turn(to), done: (to) => player.confirm(to) });
    this.knobs.push(made);
    return made.el;
  }

  settle(change, dragging = false) {
    for (const each of this.knobs) each.settle(change, dragging);
  }

  /** A lane's chips, best first, and how many of the watched it did not return. */
  hang(lane, rows) {
    const ranks = this.player.reel.given.ranks[lane.column];
    const body = this.bodies.get(lane.name);
    const mine = rows.filter((row) => ranks[row] > 0).sort((a, b) => ranks[a] - ranks[b]);
    body.style.height = `${rows.length * CHIP}px`;
    fill(body, mine.map((row, i) => this.chip(lane, row, i)));
    const missing = rows.length - mine.length;
    if (missing === 0) return;
    const style = { transform: `translateY(${mine.length * CHIP + 2}px)` };
    body.append(h("div", { class: "wb-hatch wbp-missing", style, title: `${missing} of the ${rows.length} watched were not returned by this lane`, text: `${missing} not returned` }));
  }

  chip(lane, row, i) {
    const { player } = this;
    const { reel } = player;
    const { tag, title } = reel.cards.get(row);
    const rank = reel.given.ranks[lane.column][row];
    const raw = reel.given.raw[lane.column][row];
    const score = h("span", { class: "wbp-raw", text: Number.isNaN(raw) ? "–" : number(raw, 3) });
    const badge = h("span", { class: "wbp-badge", text: nth(rank) });
    const el = h("div", { class: "wbp-chip", style: { transform: `translateY(${i * CHIP}px)` }, title: `${title}: ${nth(rank)} in ${lane.name}` }, h("b", { class: "wbp-tag", text: tag }), badge, score);
    el.dataset.row = row;
    listen(el, "mouseenter", () => player.ctx.bus.set({ hovered: reel.cards.get(row).id }));
    this.chips.set(`${lane.column} ${row}`, el);
    return el;
  }

  line(row) {
    const { player } = this;
    const { reel } = player;
    const { tag, title, id } = reel.cards.get(row);
    const made = { place: h("span", { class: "wbp-place" }), bar: h("div", { class: "wbp-track" }), slots: h("span", { class: "wbp-slots" }), term: h("span", { class: "wbp-term wb-line" }), total: h("b", { class: "wbp-total" }), segments: [] };
    made.el = h("div", { class: "wbp-row", role: "listitem", title: `${title} (${id})` }, made.place, h("b", { class: "wbp-tag", text: tag }), h("span", { class: "wbp-title wb-line", text: title }), made.bar, made.slots, made.term, made.total);
    made.el.dataset.row = row;
    made.el.dataset.id = id;
    for (const lane of reel.filled) {
      const segment = h("span", { class: "wbp-seg", style: { background: paint(lane) }, data: { lane: lane.name } }, h("i", { text: lane.letter }));
      made.segments.push(segment);
      made.bar.append(segment);
    }
    listen(made.el, "mouseenter", () => player.ctx.bus.set({ hovered: id }));
    listen(made.el, "click", () => player.ctx.bus.set({ selected: id }));
    this.lines.set(row, made);
    return made.el;
  }
}
