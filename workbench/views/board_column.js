// One column of the board: a lane or the fused order, with its head and the rows that are seen.
import { add, fill, h, letter, listen, nth, number, paint, put, say, share } from "./common.js";
import { termSaid, TIES } from "./fusing.js";
import { knob, knobShape } from "./knobs.js";

export const ROW = 58; // px from one row to the next
const SPARE = 4; // rows drawn beyond what is seen
const FRAGILE = 0.01; // a gap below this share of the first score

/** One lane, or the fused column where `lane` is null. */
export class Column {
  constructor(board, lane) {
    this.board = board;
    this.lane = lane;
    this.name = lane ? lane.name : "fused";
    this.rows = new Map(); // row number → {el, …}
    this.body = h("div", { class: "wbb-body" });
    this.about = h("div");
    this.turned = h("div");
    this.strip = h("button", { class: "wbb-strip", on: { click: () => this.jump() } });
    this.head = h("div", { class: "wbb-head" }, this.about, this.turned, this.strip);
    const off = lane && (lane.column === null || lane.hits === 0);
    this.el = h("div", { class: `wbb-col${lane ? "" : " wbb-fused"}${off ? " wbb-off" : ""}`, data: { lane: this.name } }, this.head, this.body);
    if (lane) this.el.style.setProperty("--lane", lane.hue);
    this.off = off;
  }

  relabel(lane) {
    const { board, about, body } = this;
    this.lane = lane;
    const { state } = board;
    const count = board.count(this);
    this.span = h("span");
    if (lane) {
      const timed = lane.milliseconds == null ? "" : `${number(lane.milliseconds, 2)} ms`;
      const parts = [lane.backend, lane.scoreModel, lane.depth && `depth ${lane.depth}`, lane.dropped && `${lane.dropped} filtered out`];
      const told = parts.filter(Boolean).join(" · ");
      const name = h("b", { class: "wb-line", text: lane.name, title: lane.name });
      fill(about, h("div", { class: "wbb-name" }, letter(lane), name, h("span", { class: "wb-soft wbb-timed", text: timed })));
      const model = ` · ${lane.backend || lane.status} · ${lane.scoreModel || lane.reason}`;
      add(about, h("div", { class: "wb-line wb-soft wbb-about", title: told || lane.reason }, this.span, count > 0 ? model : model.slice(3)));
    } else {
      const { method, dialect, tieRule } = state.setting;
      const text = `${method}${dialect ? `, ${dialect}` : ""}`;
      const last = h("span", { class: "wb-soft wbb-timed", text: `→ after ${state.reranker === "identity" ? "no" : state.reranker} reranking` });
      fill(about, h("div", { class: "wbb-name" }, h("b", null, "fused"), h("span", { class: "wb-soft wb-line", title: tieRule, text }), last));
      add(about, h("div", { class: "wb-line wb-soft wbb-about" }, this.span, count > 0 ? " candidates" : ""));
    }
    this.strip.classList.toggle("wb-hidden", count === 0);
    const shape = knobShape(state);
    if (shape !== this.shape) {
      this.shape = shape;
      this.knob = knob({ state, lane, now: () => board.change, drag: (to) => ((board.dragging = true), board.drag(to)), done: (to) => board.confirm(to) });
      fill(this.turned, this.knob.el);
    }
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
      made.told = h("span", { class: "wb-line wb-soft wbb-told" });
      made.el.append(made.bar, h("div", { class: "wbb-l3" }, made.told, made.slots));
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
      put(segment, "data-slim", parseFloat(share) * board.barWidth < 1100 ? "" : null); // no room for its letter
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
    this.told(row);
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

/** A lane's rows, best first. */
export function ranked(given, lane) {
  if (lane === null) return [];
  const list = [];
  given.ranks[lane].forEach((rank, row) => {
    if (rank > 0) list[rank - 1] = row;
  });
  return list;
}
