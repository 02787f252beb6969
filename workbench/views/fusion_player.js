// The fusion player: scores, ranks, then lane by lane each term flies to its candidate; ties, the cut, k at the end.
import { coalesce, fill, h, keys, listen, liveRegion, number, put, say, view } from "./common.js";
import { asked, asker, whole } from "./knobs.js";
import { Flight } from "./player_flight.js";
import { Reel } from "./player_reel.js";
import { GAP, LINE, Stage } from "./player_stage.js";
import { helpTable, stepTable } from "./player_table.js";

const FLIGHT = 650; // ms at speed 1
const HOLD = 1700; // ms a frame stays before the next, at speed 1
const SPEEDS = [0.5, 1, 2, 4];

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
    this.flight = new Flight(this);
    this.stage = new Stage(this);
    this.live = liveRegion();
    const button = (text, label, act) => h("button", { "aria-label": label, title: label, on: { click: act } }, text);
    this.parts = {
      said: h("p", { class: "wbp-said", tabindex: "0", role: "region", "aria-label": "This step" }),
      cut: h("div", { class: "wbp-cut" }),
      play: h("button", { class: "wbp-play", on: { click: () => this.toggle() } }, "▶ Play"),
      scrub: h("input", { type: "range", min: 0, step: 1, class: "wbp-scrub", "aria-label": "Step" }),
      step: h("span", { class: "wb-soft wbp-step" }),
      state: h("span", { class: "wb-soft wbp-state", role: "status" }),
      reset: h("button", { disabled: true, on: { click: () => this.reset() } }, "Reset"),
      foot: h("div", { class: "wbp-foot" }),
      over: h("div", { class: "wb-over wb-hidden" }),
    };
    const { said, cut, play, scrub, step, state, reset, foot, over } = this.parts;
    const { lanes, list, k } = this.stage;
    const speed = h("select", { "aria-label": "Speed", on: { change: (event) => (this.speed = Number(event.target.value)) } }, SPEEDS.map((each) => h("option", { value: String(each), selected: each === 1 }, `${each}×`)));
    this.sums = h("input", { type: "checkbox", on: { change: (event) => this.addRaw(event.target.checked) } });
    const sums = h("label", { class: "wbp-sums", title: "What happens when the lanes' own scores are simply added" }, this.sums, " add raw scores instead");
    this.slow = h("input", { type: "checkbox", on: { change: (event) => this.rankByRank(event.target.checked) } });
    const slow = h("label", { class: "wbp-sums", title: "One rank at a time, in the place of a lane at once" }, this.slow, " rank by rank");
    const bar = h("div", { class: "wbp-bar" }, button("|◀", "First step", () => this.touch(0)), button("◀", "Step back", () => this.touch(this.at - 1)), play);
    bar.append(button("▶", "Step on", () => this.touch(this.at + 1)), scrub, step, speed, slow, sums);
    bar.append(button("Table", "This step as a table", () => this.open("table")), button("?", "Help: the keys", () => this.open("help")));
    this.boards = h("div", { class: "wbp-stage" }, lanes, h("div", { class: "wbp-right" }, k, h("div", { class: "wbp-plot" }, list, cut), foot));
    this.root = h("div", { class: "wbp" }, said, this.boards, bar, h("div", { class: "wbp-bar" }, h("span", { class: "wb-soft wbp-hint" }, h("kbd", null, "Space"), " plays · ", h("kbd", null, "."), " ", h("kbd", null, ","), " step · ", h("kbd", null, "T"), " table · ", h("kbd", null, "?"), " help"), state, reset), over, this.live.el);
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
        r: () => this.rankByRank(!this.slow.checked), t: () => this.open("table"), "?": () => this.open("help"), Escape: () => this.shut(),
      }),
    ];
  }

  // ---- state in

  update(state, buffers) {
    this.pause();
    // what is being dragged, or waits for its turn, stays where the reader has put it
    const held = this.dragging || this.asker.waiting ? this.reel.change : null;
    const old = this.reel;
    this.reel = new Reel(state, buffers, this.slow.checked); // throws before anything is changed
    this.state = state;
    this.buffers = buffers;
    this.sums.checked = false;
    this.parts.play.disabled = false;
    if (!this.asker.busy) this.note("");
    this.parts.reset.disabled = !state.changed;
    this.stage.build();
    if (held) return this.preview(held);
    this.show(old ? this.reel.like(old, this.at) : this.at, { animate: false });
  }

  // ---- frames

  show(to, { animate = true } = {}) {
    if (this.reel.frames.length === 0) return this.empty();
    const at = Math.min(Math.max(to, 0), this.reel.frames.length - 1);
    const forward = at === this.at + 1;
    this.flight.land();
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
    const fly = moving && forward && frame.moving !== null;
    const scale = this.reel.scale(frame);
    this.track = this.stage.list.querySelector(".wbp-track")?.clientWidth ?? 0;
    frame.rows.forEach((row, i) => this.write(row, i, frame, scale));
    if (!fly) this.arrange();
    this.lanesAt(frame);
    this.cutAt(frame);
    this.footAt(frame);
    if (fly) this.flight.fly(frame, scale, FLIGHT / this.speed);
    this.marks();
  }

  write(row, i, frame, scale) {
    const made = this.stage.lines.get(row);
    const total = frame.totals[i];
    put(made.el, "data-total", total === null ? null : String(total));
    say(made.total, total === null ? "" : number(total));
    let said = "";
    const absent = [];
    this.reel.filled.forEach((lane, at) => {
      const term = this.reel.termIn(frame, row, lane.column);
      const here = this.reel.counted(frame, row, lane.column);
      const segment = made.segments[at];
      const width = here && !Number.isNaN(term) ? `${Math.max(0, (100 * term) / scale)}%` : "0%";
      if (segment.style.width !== width) segment.style.width = width;
      put(segment, "data-slim", parseFloat(width) * this.track < 1100 ? "" : null); // no room for its letter
      put(segment, "data-term", here && !Number.isNaN(term) ? String(term) : null);
      if (here && Number.isNaN(term)) absent.push(lane);
      if (here && lane.column === frame.lit) said = Number.isNaN(term) ? "not returned" : this.reel.said(lane.column, row, term);
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

  /** Puts the rows in the order of the step. */
  arrange() {
    const frame = this.now;
    frame.rows.forEach((row, i) => {
      const made = this.stage.lines.get(row);
      made.slot = i;
      const behind = frame.kind === "cut" && frame.places[i] > this.state.cut;
      const moved = `translateY(${i * LINE + (behind ? GAP : 0)}px)`;
      if (made.el.style.transform !== moved) made.el.style.transform = moved;
      say(made.place, frame.places[i] === null ? "" : String(frame.places[i]));
    });
  }

  lanesAt(frame) {
    for (const lane of this.reel.filled) {
      const el = this.stage.lanes.querySelector(`[data-lane="${CSS.escape(lane.name)}"]`);
      el.classList.toggle("wbp-active", lane.column === frame.lit);
      el.classList.toggle("wbp-done", lane.column < frame.added && lane.column !== frame.lit);
    }
    this.stage.lanes.classList.toggle("wbp-scores", frame.kind === "scores" || this.reel.rawSums);
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
      const hold = this.now.kind === "k" || this.now.kind === "rank" ? HOLD / 2 : HOLD;
      this.timer = setTimeout(next, (hold + (this.now.moving === null ? 0 : FLIGHT)) / this.speed);
    };
    this.timer = setTimeout(next, 200);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    say(this.parts.play, "▶ Play");
  }

  rankByRank(on) {
    this.pause();
    const old = { frames: this.reel.frames };
    this.slow.checked = on;
    this.reel.rankByRank(on);
    this.show(this.reel.like(old, this.at), { animate: false });
    this.live.say(on ? "rank by rank" : "a lane at once");
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
    this.show(Math.min(this.at, this.reel.end));
    this.stage.settle(change, true);
  }

  /** A knob is being dragged. */
  turn(change) {
    this.dragging = true;
    this.pause();
    this.drag(change);
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
    this.stage.settle(this.reel.change);
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
    const each = [...this.stage.lines].map(([row, made]) => [row, made.el]).concat([...this.stage.chips.values()].map((el) => [Number(el.dataset.row), el]));
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
    fill(over, h("div", { class: "wb-top" }, h("b", null, title), close), what === "help" ? helpTable() : stepTable(this.reel, this.now));
    this.from = document.activeElement;
    close.focus();
  }

  shut() {
    if (!this.opened) return;
    this.opened = null;
    this.parts.over.classList.add("wb-hidden");
    if (this.from?.isConnected) this.from.focus({ preventScroll: true });
  }

  destroy() {
    this.pause();
    this.flight.land();
    for (const off of this.off) off();
    this.root.remove();
  }
}

export default view(mount);
