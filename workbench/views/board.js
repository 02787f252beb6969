// The board: lanes side by side on one scroll, the fused column at the right, the selected candidate joined across.
import { add, coalesce, fill, h, keys, letter, listen, liveRegion, nth, number, paint, put, say, share, typed, view } from "./common.js";
import { difference, fuse, inputs, termSaid, TIES } from "./fusing.js";
import { asked, knob, named } from "./knobs.js";

const ROW = 58; // px from one row to the next
const GUTTER = 18;
const SPARE = 4; // rows drawn beyond what is seen
const CHUNK = 50; // rows of text asked for at once
const FRAGILE = 0.01; // a gap below this share of the first score

const HELP = [
  ["J / K, ↓ / ↑", "next and previous row"],
  ["← / →", "the lane at the left or right, at the same candidate where it has it"],
  ["Enter", "select: mark it in every lane and say why it stands there"],
  ["P", "pin, to compare others with it"],
  ["T", "the fused order as a table"],
  ["Esc", "close, or let go of what is lit"],
];

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
    const before = this.state;
    this.stamp++;
    this.drawn = false;
    this.state = state;
    this.buffers = buffers;
    this.given = inputs(state, buffers);
    this.final = typed(Int32Array, buffers.final);
    this.asked = new Set();
    this.cards = new Map();
    this.rowOf = new Map();
    this.learn(state.cards);
    this.snippets = new Map(state.lanes.map((lane) => [lane.name, new Map()]));
    for (const [name, texts] of Object.entries(state.snippets)) this.keep(name, 1, texts);
    this.sentences = new Map(Object.entries(state.sentences));
    this.judged = new Set(state.judged);
    this.change = { k: state.setting.k, weights: state.setting.weights && [...state.setting.weights] };
    this.fused = fuse(this.given);
    this.places = null;
    const wrong = difference(this.given, this.fused);
    if (wrong) throw new Error(`the browser and Python disagree: ${wrong}. What is shown may be wrong.`);
    this.status(this.waiting ? "confirmed by Python" : "", "good");
    this.waiting = false;
    this.previewing = false;
    const same = before && JSON.stringify(before.lanes.map(shape)) === JSON.stringify(state.lanes.map(shape));
    if (!same) this.build();
    this.heads();
    this.settled();
    this.draw();
    this.words();
  }

  /** Python refused: back to the last good state. */
  failed() {
    if (!this.waiting) return;
    this.waiting = false;
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
    } else if (message.type === "answered" && this.waiting) {
      this.update(this.state, this.buffers); // the answer is the Trace that is here already
    } else if (message.type === "rows" && message.stamp === this.stamp) {
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
    this.status("dragging: worked out here");
    this.draw();
    this.words();
    for (const column of this.columns) column.knob.settle(change, true);
  }

  refused(error) {
    this.settled();
    this.root.dispatchEvent(new CustomEvent("wb-error", { detail: error.message, bubbles: true }));
  }

  /** A knob was let go: Python makes the new Trace, and its answer is held against the twin's. */
  confirm(change) {
    const changes = asked(this.state, change);
    if (changes === null) return this.update(this.state, this.buffers); // back where it was
    this.waiting = true;
    this.status("asking Python …");
    this.ctx.send({ type: "set", changes });
  }

  reset() {
    this.waiting = true;
    this.ctx.send({ type: "reset" });
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
    fill(over, h("div", { class: "wb-top" }, h("b", null, title), close), what === "help" ? helpTable() : this.table());
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

  table() {
    const { fused, given, state } = this;
    const shownRows = Math.min(given.n, 200);
    const head = ["", "candidate", ...given.lanes.map((name) => `${name}: rank, term`), "score", "of the most", "decided by", "final"];
    const line = (place) => {
      const row = fused.order[place];
      const card = this.cards.get(row);
      const terms = given.lanes.map((_, lane) => {
        const rank = given.ranks[lane][row];
        const term = fused.contributions[place * given.lanes.length + lane];
        return rank > 0 ? `${rank}: ${number(term)}` : "not returned";
      });
      const most = fused.possible ? share(fused.scores[place] / fused.possible) : "no bound";
      const final = this.final[row] > 0 ? nth(this.final[row]) : "behind the head";
      return [String(place + 1), card ? `${card.title} (${card.id})` : "…", ...terms, number(fused.scores[place], 6), most, fused.decided[place].replace("_", " "), final];
    };
    const cells = (tag, texts) => h("tr", null, texts.map((text) => h(tag, tag === "th" ? { scope: "col", text } : { text })));
    const body = Array.from({ length: shownRows }, (_, place) => cells("td", line(place)));
    const told = `1–${shownRows} of ${given.n} candidates, ${state.setting.method}; ${state.setting.tieRule}`;
    const whole = h("table", { "aria-label": told }, h("thead", null, cells("th", head)), h("tbody", null, body));
    return [h("div", { class: "wb-soft", text: told }), h("div", { class: "wb-tablebox", tabindex: "0", role: "region", "aria-label": "Table" }, whole)];
  }

  destroy() {
    for (const off of this.off) off();
    this.size.disconnect();
    this.root.remove();
  }
}

/** One lane, or the fused column where `lane` is null. */
class Column {
  constructor(board, lane) {
    this.board = board;
    this.lane = lane;
    this.name = lane ? lane.name : "fused";
    this.rows = new Map(); // row number → {el, …}
    this.body = h("div", { class: "wbb-body" });
    this.head = h("div", { class: "wbb-head" });
    const off = lane && (lane.column === null || lane.hits === 0);
    this.el = h("div", { class: `wbb-col${lane ? "" : " wbb-fused"}${off ? " wbb-off" : ""}`, data: { lane: this.name } }, this.head, this.body);
    if (lane) this.el.style.setProperty("--lane", lane.hue);
    this.off = off;
  }

  relabel(lane) {
    const { board, head, body } = this;
    this.lane = lane;
    const { state } = board;
    const count = board.count(this);
    this.span = h("span");
    this.strip = h("button", { class: "wbb-strip", on: { click: () => this.jump() } });
    if (lane) {
      const timed = lane.milliseconds == null ? "" : `${number(lane.milliseconds, 2)} ms`;
      const about = [lane.backend, lane.scoreModel, lane.depth && `depth ${lane.depth}`, lane.dropped && `${lane.dropped} filtered out`];
      const told = about.filter(Boolean).join(" · ");
      const name = h("b", { class: "wb-line", text: lane.name, title: lane.name });
      fill(head, h("div", { class: "wbb-name" }, letter(lane), name, h("span", { class: "wb-soft wbb-timed", text: timed })));
      const model = ` · ${lane.backend || lane.status} · ${lane.scoreModel || lane.reason}`;
      add(head, h("div", { class: "wb-line wb-soft wbb-about", title: told || lane.reason }, this.span, count > 0 ? model : model.slice(3)));
    } else {
      const { method, dialect, tieRule } = state.setting;
      const text = `${method}${dialect ? `, ${dialect}` : ""}`;
      const last = h("span", { class: "wb-soft wbb-timed", text: `→ after ${state.reranker === "identity" ? "no" : state.reranker} reranking` });
      fill(head, h("div", { class: "wbb-name" }, h("b", null, "fused"), h("span", { class: "wb-soft wb-line", title: tieRule, text }), last));
      add(head, h("div", { class: "wb-line wb-soft wbb-about" }, this.span, count > 0 ? " candidates" : ""));
    }
    this.knob = knob({ state, lane, now: () => board.change, drag: (to) => board.drag(to), done: (to) => board.confirm(to) });
    add(head, this.knob.el, count > 0 && this.strip);
    put(body, "role", count > 0 ? "listbox" : null);
    put(body, "aria-label", count > 0 ? `${this.name}, ${count} ${lane ? "hits" : "candidates"}` : null);
    if (count === 0) {
      const said = !lane ? "no candidate" : lane.status === "ran" ? "ran, matched nothing" : `${lane.status}: ${lane.reason}`;
      fill(body, h("div", { class: "wb-hatch wbb-empty" }, h("span", { text: said })));
      this.rows.clear();
    }
  }

  jump() {
    const { board } = this;
    const place = board.placeOf(this, board.rowOf.get(board.selected));
    if (place < 0) return;
    board.active = { column: board.columns.indexOf(this), at: place };
    board.to(place);
  }

  draw(height) {
    const { board, rows } = this;
    this.body.style.height = `${height}px`;
    const count = board.count(this);
    if (count === 0) return;
    const first = Math.max(0, board.range.first - SPARE);
    const last = Math.min(count, board.range.last + SPARE);
    say(this.span, `${Math.min(board.range.first + 1, count)}–${Math.min(board.range.last, count)} of ${count}`);
    const wanted = new Map();
    for (let place = first; place < last; place++) wanted.set(board.at(this, place), place);
    const active = board.columns[board.active.column] === this ? board.at(this, board.active.at) : undefined;
    if (active !== undefined && !wanted.has(active)) wanted.set(active, board.active.at);
    for (const [row, made] of rows) {
      if (wanted.has(row)) continue;
      made.el.remove();
      rows.delete(row);
    }
    for (const [row, place] of wanted) {
      if (!rows.has(row)) rows.set(row, this.row(row));
      this.write(rows.get(row), row, place, count);
    }
    for (const [row, made] of rows) put(made.el, "tabindex", row === active ? "0" : "-1");
    if (active === undefined && !this.body.querySelector("[tabindex='0']")) {
      const top = rows.get(board.at(this, Math.min(Math.max(board.range.first, 0), count - 1)));
      if (top) put(top.el, "tabindex", "0");
    }
  }

  row(row) {
    const { board } = this;
    const made = { rank: h("b", { class: "wbb-rank" }), title: h("span", { class: "wb-line wbb-title" }), end: h("span", { class: "wbb-end" }) };
    made.el = h("div", { class: "wbb-row", role: "option" }, h("div", { class: "wbb-l1" }, made.rank, made.title, made.end));
    if (this.lane) {
      made.snip = h("div", { class: "wbb-snip wb-soft" });
      made.el.append(made.snip);
    } else {
      made.bar = h("div", { class: "wbb-bar" });
      made.slots = h("span", { class: "wbb-slots" });
      made.told = h("div", { class: "wb-line wb-soft wbb-told" });
      made.el.append(h("div", { class: "wbb-l2" }, made.bar, made.slots), made.told);
    }
    made.el.dataset.row = row;
    listen(made.el, "mouseenter", () => board.ctx.bus.set({ hovered: board.cards.get(row)?.id ?? null }));
    listen(made.el, "focus", () => {
      board.active = { column: board.columns.indexOf(this), at: board.placeOf(this, row) };
      board.ctx.bus.set({ hovered: board.cards.get(row)?.id ?? null });
    });
    listen(made.el, "click", () => {
      board.active = { column: board.columns.indexOf(this), at: board.placeOf(this, row) };
      for (const column of board.columns) for (const each of column.rows.values()) put(each.el, "tabindex", each === made ? "0" : "-1");
      made.el.focus({ preventScroll: true });
      board.choose(row);
    });
    this.body.append(made.el);
    return made;
  }

  write(made, row, place, count) {
    const { board, lane } = this;
    const card = board.cards.get(row);
    const moved = `translateY(${place * ROW}px)`;
    if (made.el.style.transform !== moved) made.el.style.transform = moved;
    put(made.el, "aria-posinset", place + 1);
    put(made.el, "aria-setsize", count);
    say(made.rank, place + 1);
    say(made.title, (board.judged.has(row) ? "★ " : "") + (card?.title ?? "…"));
    put(made.title, "title", card && `${card.title} (${card.id})${board.judged.has(row) ? ", judged relevant" : ""}`);
    put(made.el, "data-id", card?.id);
    if (lane) this.writeHit(made, row, place);
    else this.writeFused(made, row, place);
  }

  writeHit(made, row, place) {
    const { board, lane } = this;
    const raw = board.given.raw[lane.column][row];
    put(made.el, "data-score", String(raw));
    const pieces = board.snippets.get(lane.name).get(place + 1);
    if (made.pieces === pieces && made.pieces) return;
    made.pieces = pieces;
    const score = h("span", { class: "wbb-score", title: `${lane.name}'s own score`, text: Number.isNaN(raw) ? "no score" : number(raw) });
    const kind = lane.marks === "terms" ? null : "wbb-led";
    fill(made.snip, score, " ", (pieces ?? ["…"]).map((text, i) => (i % 2 ? h("mark", { class: kind, text }) : text)));
  }

  writeFused(made, row, place) {
    const { board } = this;
    const { fused, given, state } = board;
    const width = given.lanes.length;
    const score = fused.scores[place];
    put(made.el, "data-score", String(score));
    made.segments ??= new Map();
    const absent = [];
    for (const lane of state.lanes) {
      if (lane.column === null) continue;
      const rank = given.ranks[lane.column][row];
      if (rank <= 0) {
        absent.push(lane);
        continue;
      }
      if (!made.segments.has(lane.name)) {
        const segment = h("span", { class: "wbb-seg", style: { background: paint(lane) } }, h("i", { text: lane.letter }));
        made.segments.set(lane.name, segment);
        made.bar.append(segment);
      }
      const segment = made.segments.get(lane.name);
      const term = fused.contributions[place * width + lane.column];
      const share = fused.scores[0] > 0 ? `${(100 * term) / fused.scores[0]}%` : "0%";
      if (segment.style.width !== share) segment.style.width = share;
      put(segment, "data-term", String(term));
      put(segment, "title", `${lane.name}, rank ${rank}: ${termSaid({ ...state.setting, ...board.change }, lane.column, rank, term)}`);
    }
    const missing = absent.map((lane) => lane.letter).join("");
    if (made.missing !== missing) {
      made.missing = missing;
      fill(made.slots, absent.map((lane) => h("span", { class: "wb-hatch wbb-slot", title: `${lane.name}: not returned by this lane`, text: lane.letter })));
    }
    this.tell(made, row, place);
  }

  tell(made, row, place) {
    const { board } = this;
    const { fused, given } = board;
    const score = fused.scores[place];
    const parts = [number(score)];
    if (fused.possible) parts.push(`${share(score / fused.possible)} of most`);
    const gap = place + 1 < given.n ? score - fused.scores[place + 1] : null;
    if (fused.decided[place] !== "score") parts.push(TIES[fused.decided[place]] ?? fused.decided[place]);
    else if (gap !== null && gap > 0) parts.push(`${gap < FRAGILE * fused.scores[0] ? "⚠ " : ""}next −${number(gap, 2)}`);
    const text = parts.join(" · ");
    say(made.told, text);
    put(made.told, "title", text.includes("⚠") ? `${text}: a fragile place, the gap is below 1% of the first score` : text);
    const final = board.final[row];
    const up = place + 1 - final;
    const way = up > 0 ? ` ▲${up}` : up < 0 ? ` ▼${-up}` : "";
    say(made.end, final > 0 ? `→ ${nth(final)}${way}` : "→ out");
    const where = final > 0 ? `${nth(final)} after ${board.state.reranker} reranking` : `behind the head that ${board.state.reranker} reranking sees`;
    put(made.end, "title", `${where}${final > 0 && final <= board.state.kept ? ", kept as evidence" : ", not kept"}`);
    made.end.classList.toggle("wbb-kept", final > 0 && final <= board.state.kept);
    made.end.classList.toggle("wbb-stale", board.previewing);
  }

  marks({ selected, hovered, pinned }, row) {
    for (const { el } of this.rows.values()) {
      const id = el.dataset.id;
      el.classList.toggle("wbb-sel", id !== undefined && id === selected);
      el.classList.toggle("wbb-lit", id !== undefined && id === hovered);
      el.classList.toggle("wbb-pin", id !== undefined && id === pinned);
      put(el, "aria-selected", id !== undefined && id === selected ? "true" : "false");
    }
    if (this.strip) this.told(row);
  }

  /** What the selected candidate has here: the sum, term by term, across the heads. */
  told(row) {
    const { board, lane, strip } = this;
    const { fused, given, state, seen } = board;
    const place = board.placeOf(this, row);
    strip.classList.toggle("wb-hatch", place < 0);
    strip.disabled = place < 0;
    if (place < 0) return say(strip, row === undefined ? "" : "not returned");
    const y = place * ROW + ROW / 2 - (seen?.top ?? 0);
    const arrow = y < 0 ? " ↑" : y > (seen?.height ?? 0) ? " ↓" : "";
    if (!lane) {
      const most = fused.possible ? ` · ${share(fused.scores[place] / fused.possible)} of the most possible` : "";
      return say(strip, `= ${number(fused.scores[place])} · ${nth(place + 1)}${arrow}${most}`);
    }
    const at = board.placeOf(board.columns.at(-1), row);
    const term = fused.contributions[at * given.lanes.length + lane.column];
    const sign = lane.column > 0 ? "+ " : "";
    say(strip, `${sign}${number(term)} · ${nth(place + 1)}${arrow}`);
    put(strip, "title", `the selected candidate is ${nth(place + 1)} here: ${termSaid({ ...state.setting, ...board.change }, lane.column, place + 1, term)}`);
  }

  focus(row) {
    const { board } = this;
    for (const column of board.columns) for (const [each, { el }] of column.rows) put(el, "tabindex", column === this && each === row ? "0" : "-1");
    this.rows.get(row)?.el.focus({ preventScroll: true });
  }
}

const shape = ({ name, column, hits, status }) => [name, column, hits > 0, status];

/** A lane's rows, best first. */
function ranked(given, lane) {
  if (lane === null) return [];
  const list = [];
  given.ranks[lane].forEach((rank, row) => {
    if (rank > 0) list[rank - 1] = row;
  });
  return list;
}

function placesOf(order, n) {
  const places = new Int32Array(n).fill(-1);
  order.forEach((row, place) => (places[row] = place));
  return places;
}

function helpTable() {
  const line = ([key, text]) => h("tr", null, h("th", { scope: "row" }, h("kbd", { text: key })), h("td", { text }));
  return h("table", null, h("tbody", null, HELP.map(line)));
}

export default view(mount);
