// The board: lanes side by side on one scroll, the fused column at the right, the selected candidate joined across.
import { add, coalesce, fill, h, keys, listen, liveRegion, number, put, say, typed, view } from "./common.js";
import { Column, ranked, ROW } from "./board_column.js";
import { fusedTable, helpTable } from "./board_table.js";
import { difference, fuse, inputs } from "./fusing.js";
import { asked, asker, named, whole } from "./knobs.js";

const GUTTER = 18;
const CHUNK = 50; // rows of text asked for at once

const VERDICTS = {
  retrieved: "retrieved: no answer was asked for",
  answerable: "answerable: the gate let it pass",
  insufficient: "insufficient: the gate said no",
  needs_review: "needs review: the answer stands poorly on its evidence",
};

export function mount(el, ctx) {
  const board = new Board(el, ctx);
  board.update(ctx.state, ctx.buffers);
  return board;
}

class Board {
  constructor(el, ctx) {
    this.ctx = ctx;
    this.stamp = 0;
    this.active = { column: 0, at: 0 };
    this.live = liveRegion();
    this.parts = {
      query: h("b", { class: "wbb-query wb-line" }),
      verdict: h("span", { class: "wbb-verdict" }),
      why: h("p", { class: "wbb-why", tabindex: "0", role: "region", "aria-label": "Why" }),
      badges: h("div", { class: "wbb-badges" }),
      scroll: h("div", { class: "wbb-scroll" }),
      state: h("span", { class: "wbb-state", role: "status" }),
      reset: h("button", { disabled: true, on: { click: () => this.reset() } }, "Reset"),
      over: h("div", { class: "wb-over wb-hidden" }),
    };
    const { query, verdict, why, badges, scroll, state, reset, over } = this.parts;
    const help = h("button", { on: { click: () => this.toggle("help") }, "aria-label": "Help: the keys" }, "?");
    const table = h("button", { on: { click: () => this.toggle("table") } }, "Table");
    const hint = h("span", { class: "wbb-hint wb-soft wb-line" }, h("kbd", null, "J"), " ", h("kbd", null, "K"), " move · ");
    add(hint, [h("kbd", null, "Enter"), " selects · ", h("kbd", null, "P"), " pins · ", h("kbd", null, "T"), " table · "]);
    add(hint, [h("kbd", null, "?"), " help"]);
    this.root = h("div", { class: "wbb" }, h("div", { class: "wb-top" }, query, verdict), why, badges, scroll);
    add(this.root, [h("div", { class: "wbb-foot" }, hint, state, reset, table, help), over, this.live.el]);
    el.append(this.root);
    this.asker = asker((message) => ctx.send(message));
    this.drag = coalesce((change) => this.preview(change), { failed: (error) => this.refused(error) });
    this.off = [
      listen(scroll, "scroll", () => this.later(), { passive: true }),
      listen(scroll, "mouseleave", () => ctx.bus.set({ hovered: null })),
      ctx.bus.on((_, changed) => this.marked(changed)),
      keys(this.root, {
        j: () => this.move(1), ArrowDown: () => this.move(1), k: () => this.move(-1), ArrowUp: () => this.move(-1),
        ArrowLeft: () => this.across(-1), ArrowRight: () => this.across(1),
        Home: () => this.to(0), End: () => this.to(Infinity),
        Enter: () => this.choose(), p: () => this.pin(), t: () => this.toggle("table"), "?": () => this.toggle("help"),
        Escape: () => this.escape(),
      }),
    ];
    this.size = new ResizeObserver(() => this.later());
    this.size.observe(scroll);
  }

  // ---- state in

  update(state, buffers) {
    const given = inputs(state, buffers);
    const fused = fuse(given);
    const wrong = difference(given, fused);
    if (wrong) throw new Error(`the browser and Python disagree: ${wrong}. What was shown before stays.`);
    // what is being dragged, or waits for its turn, stays where the reader has put it
    const held = this.dragging || this.asker.waiting ? this.change : null;
    const before = this.state;
    this.stamp++;
    Object.assign(this, { state, buffers, given, fused, places: null, drawn: false, previewing: false });
    this.change = { k: state.setting.k, weights: state.setting.weights && [...state.setting.weights] };
    this.final = typed(Int32Array, buffers.final);
    this.asked = new Set();
    this.cards = new Map();
    this.rowOf = new Map();
    this.learn(state.cards);
    this.snippets = new Map(state.lanes.map((lane) => [lane.name, new Map()]));
    for (const [name, texts] of Object.entries(state.snippets)) this.keep(name, 1, texts);
    this.sentences = new Map(Object.entries(state.sentences));
    this.judged = new Set(state.judged);
    if (!this.asker.busy) this.status("");
    const same = before && JSON.stringify(before.lanes.map(shape)) === JSON.stringify(state.lanes.map(shape));
    if (!same) this.build();
    this.heads();
    if (held) return this.preview(held);
    this.settled();
    this.draw();
    this.words();
  }

  /** Python answered the last question: what is shown now is its word. */
  answered() {
    if (!this.asker.busy || this.asker.answered()) return;
    if (this.previewing && !this.dragging) this.update(this.state, this.buffers); // the Trace is the one that is here
    if (!this.dragging) this.status("confirmed by Python", "good");
  }

  /** Python refused: back to the last good state. */
  failed() {
    if (!this.asker.busy || this.asker.answered()) return;
    this.dragging = false;
    this.update(this.state, this.buffers);
  }

  learn({ rows, ids, titles }) {
    rows.forEach((row, i) => {
      this.cards.set(row, { id: ids[i], title: titles[i] });
      this.rowOf.set(ids[i], row);
    });
  }

  keep(name, from, texts) {
    texts.forEach((pieces, i) => this.snippets.get(name).set(from + i, pieces));
  }

  receive(message) {
    if (message.type === "why") {
      this.sentences.set(message.id, message.text);
      this.words();
    } else if (message.type === "answered") this.answered();
    else if (message.type === "rows" && message.stamp === this.stamp) {
      this.learn(message.cards);
      if (message.lane) this.keep(message.lane, message.from, message.snippets);
      this.draw();
    }
  }

  // ---- columns

  build() {
    this.columns = this.state.lanes.map((lane) => new Column(this, lane));
    this.columns.push(new Column(this, null));
    const plane = h("div", { class: "wbb-plane" });
    this.gutters = [];
    this.columns.forEach((column, i) => {
      if (i > 0) {
        const svg = h("svg", { class: "wbb-svg", width: GUTTER, "aria-hidden": "true" });
        const head = h("div", { class: "wbb-head wbb-blank" });
        this.gutters.push({ svg, head });
        plane.append(h("div", { class: "wbb-gutter" }, head, svg));
      }
      plane.append(column.el);
    });
    fill(this.parts.scroll, plane);
    this.parts.scroll.scrollTop = 0;
    this.active = { column: this.columns.length - 1, at: 0 };
  }

  heads() {
    const { state, given, parts } = this;
    say(parts.query, state.query);
    put(parts.query, "title", state.query);
    say(parts.verdict, state.verdict.replaceAll("_", " ") + (state.override ? ", by override" : ""));
    put(parts.verdict, "title", VERDICTS[state.verdict]);
    put(parts.verdict, "data-verdict", state.verdict);
    fill(parts.badges, state.badges.map(([kind, text]) => h("span", { class: `wbb-badge wbb-${kind}`, text: `${kind === "warn" ? "⚠" : "ℹ"} ${text}` })));
    for (const column of this.columns) {
      const { lane } = column;
      column.list = lane ? ranked(given, lane.column) : null;
      column.relabel(lane ? state.lanes.find((each) => each.name === lane.name) : null);
    }
  }

  /** Puts sliders where the setting is. */
  settled() {
    for (const column of this.columns) column.knob.settle(this.change);
    this.parts.reset.disabled = !this.state.changed;
  }

  count(column) {
    return column.lane ? column.list.length : this.given.n;
  }

  /** The candidate at a place of a column, as a row number. */
  at(column, place) {
    return column.lane ? column.list[place] : this.fused.order[place];
  }

  placeOf(column, row) {
    if (row === undefined) return -1;
    if (column.lane) return column.lane.column === null ? -1 : this.given.ranks[column.lane.column][row] - 1;
    this.places ??= placesOf(this.fused.order, this.given.n);
    return this.places[row];
  }

  // ---- drawing

  later() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.drawn && this.root.isConnected) this.draw();
    });
  }

  draw() {
    this.drawn = true;
    const { scroll } = this.parts;
    const head = this.columns[0].head.offsetHeight;
    const seen = Math.max(scroll.clientHeight - head, ROW);
    this.barWidth = this.columns.at(-1).body.clientWidth - 10;
    const deepest = Math.max(1, ...this.columns.map((column) => this.count(column)));
    const top = scroll.scrollTop;
    this.range = { first: Math.floor(top / ROW), last: Math.ceil((top + seen) / ROW) };
    this.still = !this.ctx.motion();
    this.root.classList.toggle("wb-still", this.still);
    for (const column of this.columns) column.draw(deepest * ROW);
    for (const { svg, head: blank } of this.gutters) {
      blank.style.height = `${head}px`;
      svg.style.top = `${head}px`;
      put(svg, "height", seen);
    }
    this.seen = { top, height: seen };
    this.marks();
    this.want();
  }

  /** Asks for the text of rows that are seen without it. */
  want() {
    const missing = [];
    for (const column of this.columns) {
      const last = Math.min(this.range.last, this.count(column));
      for (let place = this.range.first; place < last; place++) {
        const known = this.cards.has(this.at(column, place)) && (!column.lane || this.snippets.get(column.lane.name).has(place + 1));
        if (known) continue;
        if (!column.lane) missing.push(this.at(column, place));
        else this.ask(column.lane.name, place);
      }
    }
    const fresh = missing.filter((row) => !this.asked.has(row));
    fresh.forEach((row) => this.asked.add(row));
    if (fresh.length) this.ctx.send({ type: "rows", stamp: this.stamp, rows: fresh });
  }

  ask(lane, place) {
    const from = place - (place % CHUNK) + 1;
    const key = `${lane}\n${from}`;
    if (this.asked.has(key)) return;
    this.asked.add(key);
    this.ctx.send({ type: "rows", stamp: this.stamp, lane, from, to: from + CHUNK - 1 });
  }

  /** The candidate that is selected, or the first where another trace's is. */
  get selected() {
    const { selected } = this.ctx.bus.now;
    return this.rowOf.has(selected) ? selected : this.state.first;
  }

  marks() {
    const { hovered, pinned } = this.ctx.bus.now;
    const now = { selected: this.selected, hovered, pinned };
    const rows = { selected: this.rowOf.get(now.selected), hovered: this.rowOf.get(hovered) };
    for (const column of this.columns) column.marks(now, rows.selected);
    this.gutters.forEach(({ svg }, i) => {
      const join = (row, name) => row !== undefined && this.connector(i, row, name);
      const lit = rows.hovered === rows.selected ? null : join(rows.hovered, "wbb-lit");
      fill(svg, join(rows.selected, "wbb-sel"), lit);
    });
  }

  /** What joins a candidate across a gutter; where one side lacks it, a stub that ends in a ring. */
  connector(gutter, row, name) {
    const [a, b] = [gutter, gutter + 1].map((column) => {
      const place = this.placeOf(this.columns[column], row);
      return place < 0 ? null : place * ROW + ROW / 2 - this.seen.top;
    });
    const out = (y) => y === null || y < 0 || y > this.seen.height;
    if (out(a) && out(b) && (a === null || b === null || a < 0 === b < 0)) return null;
    const middle = GUTTER / 2;
    if (a !== null && b !== null) {
      return h("path", { class: name, d: `M0 ${a} C${middle} ${a} ${middle} ${b} ${GUTTER} ${b}` });
    }
    const [from, y] = a === null ? [GUTTER, b] : [0, a];
    return h("g", { class: name }, h("path", { d: `M${from} ${y} H${middle}` }), h("circle", { cx: middle, cy: y, r: 3 }));
  }

  marked(changed) {
    this.marks();
    if ("selected" in changed) this.words();
  }

  /** The sentence under the query, for what is selected. */
  words() {
    const id = this.selected;
    const known = id === this.state.first ? this.state.sentence : this.sentences.get(id);
    if (known === undefined && id != null && !this.asked.has(`why ${id}`)) {
      this.asked.add(`why ${id}`);
      this.ctx.send({ type: "why", row: this.rowOf.get(id) });
    }
    const text = this.previewing ? `At ${named(this.state, this.change)}, before Python's word: ${this.firsts()}` : known ?? (id == null ? this.state.sentence : "…");
    say(this.parts.why, text);
  }

  firsts() {
    const [a, b] = [0, 1].map((place) => this.fused.order[place]);
    const name = (row) => this.cards.get(row)?.title ?? "…";
    const gap = this.given.n > 1 ? `; ${name(b)} is second, ${number(this.fused.scores[0] - this.fused.scores[1], 3)} behind` : "";
    return this.given.n ? `${name(a)} leads the fusion with ${number(this.fused.scores[0])}${gap}.` : "no candidate.";
  }

  status(text, kind = "") {
    say(this.parts.state, text && (kind === "good" ? `✓ ${text}` : text));
    put(this.parts.state, "data-kind", kind);
  }

  // ---- knobs

  preview(change) {
    this.fused = fuse(this.given, change);
    this.change = change;
    this.places = null;
    this.previewing = true;
    this.status(this.dragging ? "dragging: worked out here" : "asking Python …");
    this.draw();
    this.words();
    for (const column of this.columns) column.knob.settle(change, true);
  }

  refused(error) {
    this.dragging = false;
    this.settled();
    this.root.dispatchEvent(new CustomEvent("wb-error", { detail: error.message, bubbles: true }));
  }

  /** A knob was let go: Python makes the new Trace, and its answer is held against the twin's. */
  confirm(change) {
    const changes = asked(this.state, change);
    this.dragging = false;
    if (changes === null && !this.asker.busy) return this.update(this.state, this.buffers); // back where it was
    this.status("asking Python …");
    this.asker.ask({ type: "set", changes: changes ?? whole(this.state, change) });
  }

  reset() {
    this.asker.ask({ type: "reset" });
  }

  // ---- keys

  column() {
    return this.columns[this.active.column];
  }

  to(place) {
    const column = this.column();
    const last = this.count(column) - 1;
    if (last < 0) return;
    this.active.at = Math.min(Math.max(place, 0), last);
    this.reveal(this.active.at);
    this.draw();
    const row = this.at(column, this.active.at);
    column.focus(row);
    this.ctx.bus.set({ hovered: this.cards.get(row)?.id ?? null });
  }

  move(by) {
    const inside = this.root.contains(document.activeElement) && document.activeElement.closest(".wbb-row");
    this.to(inside ? this.active.at + by : this.active.at);
  }

  across(by) {
    const row = this.at(this.column(), this.active.at);
    let to = this.active.column + by;
    while (this.columns[to] && this.count(this.columns[to]) === 0) to += by;
    if (!this.columns[to]) return;
    const place = this.placeOf(this.columns[to], row);
    this.active.column = to;
    this.columns[to].el.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.to(place >= 0 ? place : this.active.at);
    if (place < 0) this.live.say(`${this.columns[to].name} did not return it`);
  }

  reveal(place) {
    const { scroll } = this.parts;
    const [top, bottom] = [place * ROW, (place + 1) * ROW];
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (bottom > scroll.scrollTop + this.seen.height) scroll.scrollTop = bottom - this.seen.height;
  }

  choose(row = this.at(this.column(), this.active.at)) {
    const id = this.cards.get(row)?.id;
    if (id === undefined) return;
    this.ctx.bus.set({ selected: id });
    this.live.say(this.sentences.get(id) ?? "");
  }

  pin() {
    const row = this.at(this.column(), this.active.at);
    const id = this.cards.get(row)?.id ?? null;
    const pinned = this.ctx.bus.now.pinned === id ? null : id;
    this.ctx.bus.set({ pinned });
    this.live.say(pinned === null ? "unpinned" : `pinned ${this.cards.get(row).title}`);
  }

  // ---- the table twin and the keys

  toggle(what) {
    const { over } = this.parts;
    const same = this.open === what;
    this.open = same ? null : what;
    over.classList.toggle("wb-hidden", same);
    if (same) return this.back();
    const close = h("button", { on: { click: () => this.toggle(what) } }, "Close");
    const title = what === "help" ? "Keys, while the focus is in the board" : "The fused order as a table";
    fill(over, h("div", { class: "wb-top" }, h("b", null, title), close), what === "help" ? helpTable() : fusedTable(this));
    this.from = document.activeElement;
    close.focus();
  }

  back() {
    if (this.from?.isConnected) this.from.focus({ preventScroll: true });
  }

  escape() {
    if (this.open) this.toggle(this.open);
    else this.ctx.bus.set({ hovered: null });
  }

  destroy() {
    for (const off of this.off) off();
    this.size.disconnect();
    this.root.remove();
  }
}

const shape = ({ name, column, hits, status }) => [name, column, hits > 0, status];

function placesOf(order, n) {
  const places = new Int32Array(n).fill(-1);
  order.forEach((row, place) => (places[row] = place));
  return places;
}

export default view(mount);
