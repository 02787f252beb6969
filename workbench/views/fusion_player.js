// The fusion player: scores, ranks, then lane by lane each term flies to its candidate; ties, the cut, k at the end.
import { coalesce, fill, h, keys, letter, listen, liveRegion, nth, number, paint, put, say, view } from "./common.js";
import { asked, asker, knob, whole } from "./knobs.js";
import { Reel } from "./player_reel.js";

const LINE = 30; // px from one candidate to the next
const GAP = 14; // px that the cut opens
const CHIP = 24;
const FLIGHT = 650; // ms at speed 1
const HOLD = 1700; // ms a frame stays before the next, at speed 1
const SPEEDS = [0.5, 1, 2, 4];

const HELP = [
  ["Space", "play and pause"],
  [". and ,", "one step on, one step back"],
  ["Home, End", "the first and the last step"],
  ["T", "this step as a table"],
  ["Esc", "close"],
];

export function mount(el, ctx) {
  const player = new Player(el, ctx);
  player.update(ctx.state, ctx.buffers);
  return player;
}

class Player {
  constructor(el, ctx) {
    this.ctx = ctx;
    this.at = 0;
    this.speed = 1;
    this.flying = new Set();
    this.live = liveRegion();
    const button = (text, label, act) => h("button", { "aria-label": label, title: label, on: { click: act } }, text);
    this.parts = {
      said: h("p", { class: "wbp-said", tabindex: "0", role: "region", "aria-label": "This step" }),
      lanes: h("div", { class: "wbp-lanes" }),
      list: h("div", { class: "wbp-list", role: "list", "aria-label": "Candidates, best first" }),
      cut: h("div", { class: "wbp-cut" }),
      play: h("button", { class: "wbp-play", on: { click: () => this.toggle() } }, "▶ Play"),
      scrub: h("input", { type: "range", min: 0, step: 1, class: "wbp-scrub", "aria-label": "Step" }),
      step: h("span", { class: "wb-soft wbp-step" }),
      state: h("span", { class: "wb-soft wbp-state", role: "status" }),
      reset: h("button", { disabled: true, on: { click: () => this.reset() } }, "Reset"),
      foot: h("div", { class: "wbp-foot" }),
      k: h("div", { class: "wbp-k" }),
      over: h("div", { class: "wb-over wb-hidden" }),
    };
    const { said, lanes, list, cut, play, scrub, step, state, reset, foot, k, over } = this.parts;
    const speed = h("select", { "aria-label": "Speed", on: { change: (event) => (this.speed = Number(event.target.value)) } }, SPEEDS.map((each) => h("option", { value: String(each), selected: each === 1 }, `${each}×`)));
    this.sums = h("input", { type: "checkbox", on: { change: (event) => this.addRaw(event.target.checked) } });
    const sums = h("label", { class: "wbp-sums", title: "What happens when the lanes' own scores are simply added" }, this.sums, " add raw scores instead");
    const bar = h("div", { class: "wbp-bar" }, button("|◀", "First step", () => this.touch(0)), button("◀", "Step back", () => this.touch(this.at - 1)), play);
    bar.append(button("▶", "Step on", () => this.touch(this.at + 1)), scrub, step, speed, sums);
    bar.append(button("Table", "This step as a table", () => this.open("table")), button("?", "Help: the keys", () => this.open("help")));
    this.stage = h("div", { class: "wbp-stage" }, lanes, h("div", { class: "wbp-right" }, k, h("div", { class: "wbp-plot" }, list, cut), foot));
    this.root = h("div", { class: "wbp" }, said, this.stage, bar, h("div", { class: "wbp-bar" }, h("span", { class: "wb-soft wbp-hint" }, h("kbd", null, "Space"), " plays · ", h("kbd", null, "."), " ", h("kbd", null, ","), " step · ", h("kbd", null, "T"), " table · ", h("kbd", null, "?"), " help"), state, reset), over, this.live.el);
    el.append(this.root);
    this.asker = asker((message) => ctx.send(message));
    this.drag = coalesce((change) => this.preview(change), { failed: (error) => this.refused(error) });
    this.off = [
      listen(scrub, "input", () => this.touch(Number(scrub.value), false)),
      listen(scrub, "change", () => this.speak()),
      ctx.bus.on(() => this.marks()),
      listen(list, "mouseleave", () => ctx.bus.set({ hovered: null })),
      keys(this.root, {
        " ": () => this.toggle(), ".": () => this.touch(this.at + 1), ",": () => this.touch(this.at - 1),
        Home: () => this.touch(0), End: () => this.touch(Infinity),
        t: () => this.open("table"), "?": () => this.open("help"), Escape: () => this.shut(),
      }),
    ];
  }

  // ---- state in

  update(state, buffers) {
    this.pause();
    // what is being dragged, or waits for its turn, stays where the reader has put it
    const held = this.dragging || this.asker.waiting ? this.reel.change : null;
    this.reel = new Reel(state, buffers); // throws before anything is changed
    this.state = state;
    this.buffers = buffers;
    this.sums.checked = false;
    this.parts.play.disabled = false;
    if (!this.asker.busy) this.note("");
    this.parts.reset.disabled = !state.changed;
    this.build();
    if (held) return this.preview(held);
    this.show(this.at, { animate: false });
  }

  // ---- the stage

  build() {
    const { lanes, list, k } = this.parts;
    const { state } = this;
    this.knobs = [];
    const turning = (lane) => {
      const made = knob({ state, lane, now: () => this.reel.change, drag: (to) => ((this.dragging = true), this.pause(), this.drag(to)), done: (to) => this.confirm(to) });
      this.knobs.push(made);
      return made.el;
    };
    fill(k, turning(null));
    this.chips = new Map();
    const count = this.reel.cards.size;
    fill(lanes, this.reel.filled.map((lane) => {
      const mine = [...this.reel.cards.keys()].filter((row) => this.reel.given.ranks[lane.column][row] > 0);
      mine.sort((a, b) => this.reel.given.ranks[lane.column][a] - this.reel.given.ranks[lane.column][b]);
      const body = h("div", { class: "wbp-lane-body", style: { height: `${count * CHIP}px` } });
      mine.forEach((row, i) => body.append(this.chip(lane, row, i)));
      const missing = count - mine.length;
      if (missing) body.append(h("div", { class: "wb-hatch wbp-missing", style: { transform: `translateY(${mine.length * CHIP + 2}px)` }, title: `${missing} of the ${count} watched were not returned by this lane`, text: `${missing} not returned` }));
      const name = h("div", { class: "wbp-lane-name" }, letter(lane), h("b", { class: "wb-line", text: lane.name, title: lane.name }));
      return h("div", { class: "wbp-lane", style: { "--lane": lane.hue }, data: { lane: lane.name } }, name, turning(lane), body);
    }));
    this.lines = new Map();
    fill(list, [...this.reel.cards.keys()].map((row) => this.line(row)));
    list.style.height = `${count * LINE + GAP}px`;
    const missing = (row) => this.reel.filled.filter(({ column }) => this.reel.given.ranks[column][row] <= 0).length;
    // a fixed width for the empty slots, so that every bar has the same scale
    list.style.setProperty("--wbp-slots", `${17 * Math.max(0, ...[...this.reel.cards.keys()].map(missing))}px`);
    for (const each of this.knobs) each.settle(this.reel.change);
  }

  chip(lane, row, i) {
    const { tag, title } = this.reel.cards.get(row);
    const rank = this.reel.given.ranks[lane.column][row];
    const raw = this.reel.given.raw[lane.column][row];
    const score = h("span", { class: "wbp-raw", text: Number.isNaN(raw) ? "–" : number(raw, 3) });
    const badge = h("span", { class: "wbp-badge", text: nth(rank) });
    const el = h("div", { class: "wbp-chip", style: { transform: `translateY(${i * CHIP}px)` }, title: `${title}: ${nth(rank)} in ${lane.name}` }, h("b", { class: "wbp-tag", text: tag }), badge, score);
    el.dataset.row = row;
    listen(el, "mouseenter", () => this.ctx.bus.set({ hovered: this.reel.cards.get(row).id }));
    this.chips.set(`${lane.column} ${row}`, el);
    return el;
  }

  line(row) {
    const { tag, title, id } = this.reel.cards.get(row);
    const made = { place: h("span", { class: "wbp-place" }), bar: h("div", { class: "wbp-track" }), slots: h("span", { class: "wbp-slots" }), term: h("span", { class: "wbp-term wb-line" }), total: h("b", { class: "wbp-total" }), segments: [] };
    made.el = h("div", { class: "wbp-row", role: "listitem", title: `${title} (${id})` }, made.place, h("b", { class: "wbp-tag", text: tag }), h("span", { class: "wbp-title wb-line", text: title }), made.bar, made.slots, made.term, made.total);
    made.el.dataset.row = row;
    made.el.dataset.id = id;
    for (const lane of this.reel.filled) {
      const segment = h("span", { class: "wbp-seg", style: { background: paint(lane) }, data: { lane: lane.name } }, h("i", { text: lane.letter }));
      made.segments.push(segment);
      made.bar.append(segment);
    }
    listen(made.el, "mouseenter", () => this.ctx.bus.set({ hovered: id }));
    listen(made.el, "click", () => this.ctx.bus.set({ selected: id }));
    this.lines.set(row, made);
    return made.el;
  }

  // ---- frames

  show(to, { animate = true } = {}) {
    if (this.reel.frames.length === 0) return this.empty();
    const at = Math.min(Math.max(to, 0), this.reel.frames.length - 1);
    const forward = at === this.at + 1;
    this.land();
    this.at = at;
    const frame = this.reel.frame(at);
    this.now = frame;
    const moving = animate && this.ctx.motion();
    this.root.classList.toggle("wb-still", !moving);
    this.root.dataset.step = at;
    this.root.dataset.kind = frame.kind;
    this.root.style.setProperty("--wbp-time", `${Math.round(FLIGHT / this.speed)}ms`);
    say(this.parts.said, frame.sentence);
    put(this.parts.scrub, "aria-valuetext", `step ${at + 1} of ${this.reel.frames.length}: ${frame.sentence}`);
    put(this.parts.scrub, "max", this.reel.frames.length - 1);
    this.parts.scrub.value = at;
    say(this.parts.step, `${at + 1} of ${this.reel.frames.length}`);
    const fly = moving && forward && frame.kind === "lane";
    const scale = this.reel.scale(frame);
    this.track = this.parts.list.querySelector(".wbp-track")?.clientWidth ?? 0;
    frame.rows.forEach((row, i) => this.write(row, i, frame, scale));
    if (!fly) this.arrange(frame);
    this.lanesAt(frame);
    this.cutAt(frame);
    this.footAt(frame);
    if (fly) this.fly(frame, scale);
    this.marks();
  }

  write(row, i, frame, scale) {
    const made = this.lines.get(row);
    const total = frame.totals[i];
    put(made.el, "data-total", total === null ? null : String(total));
    say(made.total, total === null ? "" : number(total));
    let said = "";
    const absent = [];
    this.reel.filled.forEach((lane, at) => {
      const term = this.reel.termIn(frame, row, lane.column);
      const here = lane.column < frame.added;
      const segment = made.segments[at];
      const width = here && !Number.isNaN(term) ? `${Math.max(0, (100 * term) / scale)}%` : "0%";
      if (segment.style.width !== width) segment.style.width = width;
      put(segment, "data-slim", parseFloat(width) * this.track < 1100 ? "" : null); // no room for its letter
      put(segment, "data-term", here && !Number.isNaN(term) ? String(term) : null);
      if (here && Number.isNaN(term)) absent.push(lane);
      if (frame.kind === "lane" && lane.column === frame.added - 1) said = Number.isNaN(term) ? "not returned" : this.reel.said(lane.column, row, term);
    });
    const letters = absent.map((lane) => lane.letter).join("");
    if (made.letters !== letters) {
      made.letters = letters;
      fill(made.slots, absent.map((lane) => h("span", { class: "wb-hatch wbp-slot", title: `${lane.name}: not returned by this lane`, text: lane.letter })));
    }
    const kept = frame.kind === "cut" && this.state.kept.includes(row);
    if (frame.kind === "cut") said = kept ? "✓ kept in the end" : "";
    if (frame.kind === "ties") said = this.reel.tied(row);
    say(made.term, said);
    made.el.classList.toggle("wbp-kept", kept);
    made.el.classList.toggle("wbp-tie", frame.kind === "ties" && said !== "");
  }

  /** Puts the rows in the frame's order. */
  arrange(frame) {
    frame.rows.forEach((row, i) => {
      const made = this.lines.get(row);
      made.slot = i;
      const behind = frame.kind === "cut" && frame.places[i] > this.state.cut;
      const moved = `translateY(${i * LINE + (behind ? GAP : 0)}px)`;
      if (made.el.style.transform !== moved) made.el.style.transform = moved;
      say(made.place, frame.places[i] === null ? "" : String(frame.places[i]));
    });
  }

  lanesAt(frame) {
    for (const lane of this.reel.filled) {
      const el = this.parts.lanes.querySelector(`[data-lane="${CSS.escape(lane.name)}"]`);
      el.classList.toggle("wbp-active", frame.kind === "lane" && lane.column === frame.added - 1);
      el.classList.toggle("wbp-done", lane.column < frame.added && !(frame.kind === "lane" && lane.column === frame.added - 1));
    }
    this.parts.lanes.classList.toggle("wbp-scores", frame.kind === "scores" || this.reel.rawSums);
  }

  cutAt(frame) {
    const { cut } = this.parts;
    const shownCut = frame.kind === "cut";
    cut.classList.toggle("wbp-fallen", shownCut);
    if (!shownCut) return;
    const above = frame.places.filter((place) => place <= this.state.cut).length;
    cut.style.top = `${above * LINE + GAP / 2 - 2}px`;
    fill(cut, h("span", { text: `cut after ${this.state.cut}` }));
  }

  footAt(frame) {
    const residual = this.reel.residual(frame);
    put(this.parts.foot, "data-residual", residual);
    const sums = residual === null ? "" : ` · the terms add up to the scores: residual ${number(residual)}`;
    say(this.parts.foot, `${frame.rows.length} of ${this.reel.given.n} candidates watched${sums}`);
  }

  empty() {
    say(this.parts.said, "No candidate: every lane that ran matched nothing, so there is nothing to fuse.");
    this.parts.play.disabled = true;
  }

  // ---- motion

  /** Each term flies from its place in the lane to the end of its candidate's bar; then the rows are put in order. */
  fly(frame, scale) {
    const lane = this.reel.filled.find((each) => each.column === frame.added - 1);
    const at = this.reel.filled.indexOf(lane);
    const time = FLIGHT / this.speed;
    const stage = this.stage.getBoundingClientRect();
    const list = this.parts.list.getBoundingClientRect();
    frame.rows.forEach((row, i) => {
      const chip = this.chips.get(`${lane.column} ${row}`)?.getBoundingClientRect();
      if (!chip) return;
      const made = this.lines.get(row);
      const track = made.bar.getBoundingClientRect();
      const term = this.reel.term(row, lane.column);
      const before = frame.totals[i] - term;
      const start = { x: chip.left - stage.left, y: chip.top - stage.top };
      const end = { x: track.left - stage.left + (track.width * before) / scale, y: list.top - stage.top + made.slot * LINE + 7 };
      const text = this.reel.formula(lane.column, row, term);
      const style = { width: `${Math.max(6, (track.width * term) / scale)}px`, background: paint(lane) };
      const el = h("div", { class: "wbp-flying", "aria-hidden": "true", style }, h("span", { text }));
      made.segments[at].classList.add("wbp-awaited");
      this.stage.append(el);
      const path = [start, end].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` }));
      const flight = el.animate(path, { duration: time, easing: "cubic-bezier(.4,0,.2,1)", fill: "both" });
      this.flying.add({ el, flight, segment: made.segments[at] });
      this.countUp(made.total, before, frame.totals[i], time);
    });
    this.landing = setTimeout(() => this.land(), time);
  }

  countUp(el, from, to, time) {
    const start = performance.now();
    const final = number(to);
    const tick = (now) => {
      if (el.wbpTo !== to) return;
      const part = Math.min(1, (now - start) / time);
      say(el, part === 1 ? final : number(from + (to - from) * part));
      if (part === 1) return;
      requestAnimationFrame(tick);
    };
    el.wbpTo = to;
    requestAnimationFrame(tick);
  }

  /** Ends what is in the air, so that the next frame starts from where things belong. */
  land() {
    clearTimeout(this.landing);
    if (this.flying.size === 0) return;
    for (const { el, flight, segment } of this.flying) {
      flight.cancel();
      el.remove();
      segment.classList.remove("wbp-awaited");
    }
    this.flying.clear();
    this.now.rows.forEach((row, i) => {
      const { total } = this.lines.get(row);
      total.wbpTo = undefined;
      say(total, this.now.totals[i] === null ? "" : number(this.now.totals[i]));
    });
    this.arrange(this.now);
  }

  // ---- controls

  touch(to, speak = true) {
    this.pause();
    this.show(to);
    if (speak) this.speak();
  }

  speak() {
    this.live.say(this.now?.sentence ?? "");
  }

  toggle() {
    if (this.timer) return this.pause();
    if (this.at >= this.reel.frames.length - 1) this.show(0, { animate: false });
    say(this.parts.play, "❚❚ Pause");
    const next = () => {
      this.show(this.at + 1);
      this.speak();
      if (this.at >= this.reel.frames.length - 1) return this.pause();
      this.timer = setTimeout(next, (this.now.kind === "k" ? HOLD / 2 : HOLD) / this.speed + (this.now.kind === "lane" ? FLIGHT / this.speed : 0));
    };
    this.timer = setTimeout(next, 200);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    say(this.parts.play, "▶ Play");
  }

  addRaw(on) {
    this.pause();
    this.reel.addRaw(on);
    this.show(Infinity);
    this.speak();
  }

  preview(change) {
    this.reel.preview(change);
    this.note(this.dragging ? "dragging: worked out here" : "asking Python …");
    const end = this.reel.given.lanes.length + 2;
    this.show(Math.min(this.at, end));
    for (const each of this.knobs) each.settle(change, true);
  }

  confirm(change) {
    this.dragging = false;
    const changes = asked(this.state, change);
    if (changes === null && !this.asker.busy) return this.update(this.state, this.buffers);
    this.note("asking Python …");
    this.asker.ask({ type: "set", changes: changes ?? whole(this.state, change) });
  }

  /** Python answered the last question: what is shown now is its word. */
  answered() {
    if (!this.asker.busy || this.asker.answered()) return;
    if (this.reel.previewing && !this.dragging) this.update(this.state, this.buffers); // the Trace is the one that is here
    if (!this.dragging) this.note("✓ confirmed by Python");
  }

  refused(error) {
    this.dragging = false;
    for (const each of this.knobs) each.settle(this.reel.change);
    this.root.dispatchEvent(new CustomEvent("wb-error", { detail: error.message, bubbles: true }));
  }

  failed() {
    if (!this.asker.busy || this.asker.answered()) return;
    this.dragging = false;
    this.update(this.state, this.buffers);
  }

  receive(message) {
    if (message.type === "answered") this.answered();
  }

  reset() {
    this.asker.ask({ type: "reset" });
  }

  note(text) {
    say(this.parts.state, text);
  }

  marks() {
    const { selected, hovered, pinned } = this.ctx.bus.now;
    const each = [...this.lines].map(([row, made]) => [row, made.el]).concat([...this.chips.values()].map((el) => [Number(el.dataset.row), el]));
    for (const [row, el] of each) {
      const { id } = this.reel.cards.get(row);
      el.classList.toggle("wbp-sel", id === selected);
      el.classList.toggle("wbp-lit", id === hovered);
      el.classList.toggle("wbp-pin", id === pinned);
    }
  }

  // ---- the table twin and the keys

  open(what) {
    if (this.opened === what) return this.shut();
    this.pause();
    this.opened = what;
    const { over } = this.parts;
    const close = h("button", { on: { click: () => this.shut() } }, "Close");
    const title = what === "help" ? "Keys, while the focus is in the player" : "This step as a table";
    over.classList.remove("wb-hidden");
    fill(over, h("div", { class: "wb-top" }, h("b", null, title), close), what === "help" ? this.help() : this.table());
    this.from = document.activeElement;
    close.focus();
  }

  shut() {
    if (!this.opened) return;
    this.opened = null;
    this.parts.over.classList.add("wb-hidden");
    if (this.from?.isConnected) this.from.focus({ preventScroll: true });
  }

  help() {
    return h("table", null, h("tbody", null, HELP.map(([key, text]) => h("tr", null, h("th", { scope: "row" }, h("kbd", { text: key })), h("td", { text })))));
  }

  table() {
    const { now } = this;
    const { given } = this.reel;
    const heads = ["place", "candidate", ...given.lanes, "total"].map((text) => h("th", { scope: "col", text }));
    const lines = now.rows.map((row, i) => {
      const { tag, title, id } = this.reel.cards.get(row);
      const terms = given.lanes.map((_, lane) => {
        const term = this.reel.termIn(now, row, lane);
        if (lane >= now.added) return "";
        return Number.isNaN(term) ? "not returned" : `${given.ranks[lane][row]}: ${number(term)}`;
      });
      const cells = [now.places[i] ?? "", `${tag} · ${title} (${id})`, ...terms, now.totals[i] === null ? "" : number(now.totals[i], 6)];
      return h("tr", null, cells.map((text) => h("td", { text: String(text) })));
    });
    return [h("div", { class: "wb-soft", text: now.sentence }), h("div", { class: "wb-tablebox", tabindex: "0", role: "region", "aria-label": "Table" }, h("table", null, h("thead", null, h("tr", null, heads)), h("tbody", null, lines)))];
  }

  destroy() {
    this.pause();
    this.land();
    for (const off of this.off) off();
    this.root.remove();
  }
}

export default view(mount);
