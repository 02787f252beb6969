// The fusion player: scores, ranks, then lane by lane each term flies to its candidate; ties, the cut, k at the end.
import { coalesce, fill, h, keys, letter, listen, liveRegion, nth, number, ordinal, paint, put, say, view } from "./common.js";
import { difference, fuse, inputs, termSaid, termText } from "./fusing.js";
import { asked, knob, named } from "./knobs.js";

const LINE = 30; // px from one candidate to the next
const CHIP = 24;
const FLIGHT = 650; // ms at speed 1
const HOLD = 1500; // ms a frame stays before the next, at speed 1
const SPEEDS = [0.5, 1, 2, 4];
const SWEEP = [30, 15, 8, 4, 2, 4, 8, 15, 30];

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
    this.rawSums = false;
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
    const bar = h("div", { class: "wbp-bar" }, button("⏮", "First step", () => this.touch(0)), button("◀", "Step back", () => this.touch(this.at - 1)), play);
    bar.append(button("▶", "Step on", () => this.touch(this.at + 1)), scrub, step, speed, sums);
    bar.append(button("Table", "This step as a table", () => this.open("table")), button("?", "Help: the keys", () => this.open("help")));
    this.stage = h("div", { class: "wbp-stage" }, lanes, h("div", { class: "wbp-right" }, k, h("div", { class: "wbp-plot" }, list, cut), foot));
    this.root = h("div", { class: "wbp" }, said, this.stage, bar, h("div", { class: "wbp-bar" }, h("span", { class: "wb-soft wbp-hint" }, h("kbd", null, "Space"), " plays · ", h("kbd", null, "."), " ", h("kbd", null, ","), " step · ", h("kbd", null, "T"), " table · ", h("kbd", null, "?"), " help"), state, reset), over, this.live.el);
    el.append(this.root);
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
    this.state = state;
    this.buffers = buffers;
    this.given = inputs(state, buffers);
    this.change = { k: state.setting.k, weights: state.setting.weights && [...state.setting.weights] };
    this.fused = fuse(this.given);
    const wrong = difference(this.given, this.fused);
    if (wrong) throw new Error(`the browser and Python disagree: ${wrong}. What is shown may be wrong.`);
    this.note(this.waiting ? "✓ confirmed by Python" : "");
    this.waiting = false;
    this.previewing = false;
    this.cards = new Map(state.cards.rows.map((row, i) => [row, { id: state.cards.ids[i], title: state.cards.titles[i], tag: tagAt(i) }]));
    this.filled = state.lanes.filter((lane) => lane.column !== null);
    this.tags();
    this.parts.reset.disabled = !state.changed;
    this.reel();
    this.check();
    this.build();
    this.show(Math.min(this.at, this.frames.length - 1), { animate: false });
  }

  /** Candidates are called a, b, c … in the order in which reading lane after lane meets them. */
  tags() {
    const best = (row) => this.filled.map(({ column }) => this.given.ranks[column][row]).map((rank, i) => (rank > 0 ? i * 1e6 + rank : Infinity));
    const met = [...this.cards.keys()].sort((a, b) => Math.min(...best(a)) - Math.min(...best(b)));
    met.forEach((row, i) => (this.cards.get(row).tag = tagAt(i)));
  }

  /** The frames: Python's for the recorded setting, the twin's for another, and k at the end. */
  reel() {
    const { state } = this;
    const frames = this.previewing || this.rawSums ? this.made() : state.frames;
    const { method } = state.setting;
    const now = this.change.k;
    const sweep = method === "rrf" && !this.rawSums && frames.length ? [...SWEEP, now].filter((k, i, all) => k !== (i ? all[i - 1] : now)) : [];
    this.frames = [...frames, ...sweep.map((k) => ({ kind: "k", k }))];
    this.folds = null;
    this.kept = new Map();
    put(this.parts.scrub, "max", Math.max(0, this.frames.length - 1));
  }

  /** Frames of a setting that Python has not been asked for yet. */
  made() {
    const { lanes } = this.given;
    const words = this.rawSums ? "the lanes' own scores, as they are" : named(this.state, this.change);
    const still = this.state.frames.slice(0, 2).map((frame) => ({ ...frame, sentence: `${frame.kind === "scores" ? frame.sentence : `Here with ${words}.`}` }));
    const steps = lanes.map((name, lane) => ({ ...this.standing(lane), kind: "lane", lane: name }));
    let before = still[1];
    for (const step of steps) {
      step.sentence = this.heard(step, before);
      before = step;
    }
    return [...still, ...steps, { ...this.standing(lanes.length - 1), kind: "end", lane: null, sentence: this.ending() }];
  }

  heard(step, before) {
    if (step.totals[0] === null) return `${step.lane} adds nothing.`;
    const over = before.totals[0] !== null && before.rows[0] !== step.rows[0] ? `, overtaking ${this.title(before.rows[0])}` : "";
    return `${step.lane} adds its ${this.rawSums ? "scores" : "terms"}: ${this.title(step.rows[0])} leads with ${number(step.totals[0])}${over}.`;
  }

  ending() {
    if (!this.rawSums) return `At ${named(this.state, this.change)}, worked out here. Let go of the knob and Python confirms.`;
    const { lanes, raw } = this.given;
    const spans = lanes.map((name, lane) => [name, Math.max(0, ...raw[lane].filter((each) => !Number.isNaN(each)))]);
    const most = spans.reduce((a, b) => (b[1] > a[1] ? b : a));
    const told = spans.map(([name, top]) => `${name} up to ${number(top)}`).join(", ");
    return `Raw scores live on scales of their own (${told}): added as they are, ${most[0]} decides nearly alone. That is why ranks are fused, or scores are scaled first.`;
  }

  title(row) {
    return this.cards.get(row)?.title ?? "another candidate";
  }

  /** Term of a lane for a candidate in the present setting; NaN where it was not returned. */
  term(row, lane) {
    if (this.rawSums) return this.given.ranks[lane][row] > 0 ? this.given.raw[lane][row] : NaN;
    this.placed ??= places(this.fused.order, this.given.n);
    return this.fused.contributions[this.placed[row] * this.given.lanes.length + lane];
  }

  /** Running totals after a lane for every candidate: left folds in lane order, in the method's arithmetic. */
  fold(lane) {
    if (this.folds) return this.folds[lane];
    const narrow = this.state.setting.arithmetic === "float32" && !this.rawSums ? Math.fround : Number;
    let total = new Float64Array(this.given.n).fill(NaN);
    this.folds = this.given.lanes.map((_, each) => {
      total = total.map((sum, row) => {
        const term = this.term(row, each);
        return Number.isNaN(term) ? sum : Number.isNaN(sum) ? term : narrow(sum + term);
      });
      return total;
    });
    return this.folds[lane];
  }

  /** The watched candidates after a lane, best first, with their places among all. */
  standing(lane) {
    const totals = this.fold(lane);
    const begun = [...totals.keys()].filter((row) => !Number.isNaN(totals[row]));
    const last = lane === this.given.lanes.length - 1 && !this.rawSums;
    const order = last ? [...this.fused.order] : begun.sort((a, b) => totals[b] - totals[a] || this.before(a, b));
    const placed = places(order, this.given.n);
    const rows = order.filter((row) => this.cards.has(row));
    const late = [...this.cards.keys()].filter((row) => placed[row] < 0);
    const all = [...rows, ...late];
    return { rows: all, places: all.map((row) => (placed[row] < 0 ? null : placed[row] + 1)), totals: all.map((row) => (placed[row] < 0 ? null : totals[row])) };
  }

  /** The order of equal totals: by id, or by what was seen first, as the setting's rule has it. */
  before(a, b) {
    if (!this.state.setting.tieRule.includes("first seen")) return a - b;
    const { ranks } = this.given;
    const [left, right] = [a, b].map((row) => ranks.findIndex((column) => column[row] > 0));
    return left - right || ranks[left][a] - ranks[left][b];
  }

  /** Python's frames are held against the twin's, total by total. */
  check() {
    for (const frame of this.state.frames) {
      if (frame.kind !== "lane") continue;
      const here = this.standing(this.given.lanes.indexOf(frame.lane));
      const same = frame.rows.every((row, i) => here.rows[i] === row && here.places[i] === frame.places[i] && Object.is(here.totals[i], frame.totals[i]));
      if (!same) throw new Error(`the browser and Python disagree after ${frame.lane}. What is shown may be wrong.`);
    }
  }

  // ---- the stage

  build() {
    const { lanes, list, k } = this.parts;
    const { state } = this;
    this.knobs = [];
    const turning = (lane) => {
      const made = knob({ state, lane, now: () => this.change, drag: (to) => (this.pause(), this.drag(to)), done: (to) => this.confirm(to) });
      this.knobs.push(made);
      return made.el;
    };
    fill(k, turning(null));
    this.chips = new Map();
    const count = this.cards.size;
    fill(lanes, this.filled.map((lane) => {
      const mine = [...this.cards.keys()].filter((row) => this.given.ranks[lane.column][row] > 0);
      mine.sort((a, b) => this.given.ranks[lane.column][a] - this.given.ranks[lane.column][b]);
      const body = h("div", { class: "wbp-lane-body", style: { height: `${count * CHIP}px` } });
      mine.forEach((row, i) => body.append(this.chip(lane, row, i)));
      const missing = count - mine.length;
      if (missing) body.append(h("div", { class: "wb-hatch wbp-missing", style: { transform: `translateY(${mine.length * CHIP + 2}px)` }, title: `${missing} of the ${count} watched were not returned by this lane`, text: `${missing} not returned` }));
      const name = h("div", { class: "wbp-lane-name" }, letter(lane), h("b", { class: "wb-line", text: lane.name, title: lane.name }));
      return h("div", { class: "wbp-lane", style: { "--lane": lane.hue }, data: { lane: lane.name } }, name, turning(lane), body);
    }));
    this.lines = new Map();
    fill(list, [...this.cards.keys()].map((row) => this.line(row)));
    list.style.height = `${count * LINE}px`;
    for (const each of this.knobs) each.settle(this.change);
  }

  chip(lane, row, i) {
    const { tag, title } = this.cards.get(row);
    const rank = this.given.ranks[lane.column][row];
    const raw = this.given.raw[lane.column][row];
    const score = h("span", { class: "wbp-raw", text: Number.isNaN(raw) ? "–" : number(raw, 3) });
    const badge = h("span", { class: "wbp-badge", text: nth(rank) });
    const el = h("div", { class: "wbp-chip", style: { transform: `translateY(${i * CHIP}px)` }, title: `${title}: ${nth(rank)} in ${lane.name}` }, h("b", { class: "wbp-tag", text: tag }), badge, score);
    el.dataset.row = row;
    listen(el, "mouseenter", () => this.ctx.bus.set({ hovered: this.cards.get(row).id }));
    this.chips.set(`${lane.column} ${row}`, el);
    return el;
  }

  line(row) {
    const { tag, title, id } = this.cards.get(row);
    const made = { place: h("span", { class: "wbp-place" }), bar: h("div", { class: "wbp-track" }), slots: h("span", { class: "wbp-slots" }), term: h("span", { class: "wbp-term wb-line" }), total: h("b", { class: "wbp-total" }), segments: [] };
    made.el = h("div", { class: "wbp-row", role: "listitem", title: `${title} (${id})` }, made.place, h("b", { class: "wbp-tag", text: tag }), h("span", { class: "wbp-title wb-line", text: title }), made.bar, made.slots, made.term, made.total);
    made.el.dataset.row = row;
    made.el.dataset.id = id;
    for (const lane of this.filled) {
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

  /** How many lanes have been added at a frame, and the standing there. */
  frame(at) {
    const frame = this.frames[at];
    const { lanes } = this.given;
    if (frame.kind === "k") return { ...this.atK(frame.k), kind: "k", lane: null, added: lanes.length };
    const added = frame.kind === "scores" || frame.kind === "ranks" ? 0 : frame.kind === "lane" ? lanes.indexOf(frame.lane) + 1 : lanes.length;
    return { ...frame, added };
  }

  /** The standing at another k, by the twin. */
  atK(k) {
    if (this.kept.has(k)) return this.kept.get(k);
    const was = { fused: this.fused, folds: this.folds, placed: this.placed };
    this.fused = fuse(this.given, { ...this.change, k });
    this.folds = this.placed = null;
    const last = this.given.lanes.length - 1;
    const standing = { ...this.standing(last), fused: this.fused };
    Object.assign(this, was);
    const before = this.standing(last).rows[0];
    const first = standing.rows[0];
    const told = first === before ? `${this.title(first)} still leads` : `now ${this.title(first)} leads, not ${this.title(before)}`;
    const setting = { ...this.state.setting, ...this.change, k };
    const weigh = [1, 10].map((rank) => `${ordinal(rank)} ${termText(setting, 0, rank)}`).join(", ");
    const back = k === this.change.k ? "Back at" : "At";
    standing.sentence = `${back} k = ${number(k)} (the ${weigh}): ${told} with ${number(standing.totals[0])}.`;
    this.kept.set(k, standing);
    return standing;
  }

  show(to, { animate = true } = {}) {
    if (this.frames.length === 0) return this.empty();
    const at = Math.min(Math.max(to, 0), this.frames.length - 1);
    const forward = at === this.at + 1;
    this.land();
    this.at = at;
    const frame = this.frame(at);
    this.now = frame;
    const moving = animate && this.ctx.motion();
    this.root.classList.toggle("wb-still", !moving);
    this.root.dataset.step = at;
    this.root.dataset.kind = frame.kind;
    this.root.style.setProperty("--wbp-time", `${Math.round(FLIGHT / this.speed)}ms`);
    say(this.parts.said, frame.sentence);
    put(this.parts.scrub, "aria-valuetext", `step ${at + 1} of ${this.frames.length}: ${frame.sentence}`);
    this.parts.scrub.value = at;
    say(this.parts.step, `${at + 1} of ${this.frames.length}`);
    const fly = moving && forward && frame.kind === "lane";
    const from = fly ? this.measure(frame.added - 1) : null;
    const scale = this.scale(frame);
    frame.rows.forEach((row, i) => this.write(row, i, frame, scale));
    this.lanesAt(frame);
    this.cutAt(frame);
    this.footAt(frame);
    if (fly) this.fly(frame, from);
    this.marks();
  }

  /** The longest total that this step and all others at the setting reach, so that bars only grow. */
  scale(frame) {
    const last = frame.kind === "k" ? frame.totals : this.standing(this.given.lanes.length - 1).totals;
    return Math.max(...last.filter((each) => each !== null), Number.MIN_VALUE);
  }

  write(row, i, frame, scale) {
    const made = this.lines.get(row);
    const moved = `translateY(${i * LINE}px)`;
    if (made.el.style.transform !== moved) made.el.style.transform = moved;
    say(made.place, frame.places[i] === null ? "" : String(frame.places[i]));
    const total = frame.totals[i];
    put(made.el, "data-total", total === null ? null : String(total));
    say(made.total, total === null ? "" : number(total));
    let said = "";
    const absent = [];
    this.filled.forEach((lane, at) => {
      const term = this.termIn(frame, row, lane.column);
      const here = lane.column < frame.added;
      const segment = made.segments[at];
      const width = here && !Number.isNaN(term) ? `${Math.max(0, (100 * term) / scale)}%` : "0%";
      if (segment.style.width !== width) segment.style.width = width;
      put(segment, "data-term", here && !Number.isNaN(term) ? String(term) : null);
      if (here && Number.isNaN(term)) absent.push(lane);
      if (frame.kind === "lane" && lane.column === frame.added - 1) said = Number.isNaN(term) ? "not returned" : this.termText(frame, lane.column, row, term);
    });
    const letters = absent.map((lane) => lane.letter).join("");
    if (made.letters !== letters) {
      made.letters = letters;
      fill(made.slots, absent.map((lane) => h("span", { class: "wb-hatch wbp-slot", title: `${lane.name}: not returned by this lane`, text: lane.letter })));
    }
    const kept = frame.kind === "cut" && this.state.kept.includes(row);
    if (frame.kind === "cut") said = kept ? "✓ kept in the end" : "";
    if (frame.kind === "ties") said = this.tied(row);
    say(made.term, said);
    made.el.classList.toggle("wbp-kept", kept);
    made.el.classList.toggle("wbp-tie", frame.kind === "ties" && said !== "");
  }

  termIn(frame, row, lane) {
    if (!frame.fused) return this.term(row, lane);
    frame.placed ??= places(frame.fused.order, this.given.n);
    return frame.fused.contributions[frame.placed[row] * this.given.lanes.length + lane];
  }

  termText(frame, lane, row, term) {
    if (this.rawSums) return number(term);
    return termSaid({ ...this.state.setting, ...this.change }, lane, this.given.ranks[lane][row], term);
  }

  tied(row) {
    this.placed ??= places(this.fused.order, this.given.n);
    const place = this.placed[row];
    const rule = this.fused.decided[place];
    const next = this.fused.decided[place + 1];
    if (place > 0 && rule !== "score") return rule === "rounding" ? "rounding decides" : `tied: ${rule === "id" ? "larger id" : "seen later"}`;
    if (next && next !== "score") return next === "rounding" ? "rounding decides" : `tied: ${next === "id" ? "smaller id" : "seen first"}`;
    return "";
  }

  lanesAt(frame) {
    for (const lane of this.filled) {
      const el = this.parts.lanes.querySelector(`[data-lane="${CSS.escape(lane.name)}"]`);
      el.classList.toggle("wbp-active", frame.kind === "lane" && lane.column === frame.added - 1);
      el.classList.toggle("wbp-done", lane.column < frame.added && !(frame.kind === "lane" && lane.column === frame.added - 1));
    }
    this.parts.lanes.classList.toggle("wbp-scores", frame.kind === "scores" || this.rawSums);
  }

  cutAt(frame) {
    const { cut } = this.parts;
    const shownCut = frame.kind === "cut";
    cut.classList.toggle("wbp-fallen", shownCut);
    if (!shownCut) return;
    const above = frame.places.filter((place) => place <= this.state.cut).length;
    cut.style.top = `${above * LINE - 2}px`;
    say(cut, `cut after ${this.state.cut}`);
  }

  footAt(frame) {
    const { n } = this.given;
    let residual = 0;
    if (frame.added === this.given.lanes.length && !this.rawSums) {
      const fused = frame.fused ?? this.fused;
      const placed = places(fused.order, n);
      const last = frame.fused ? frame.totals : this.standing(frame.added - 1).totals;
      const rows = frame.fused ? frame.rows : this.standing(frame.added - 1).rows;
      rows.forEach((row, i) => (residual = Math.max(residual, Math.abs(last[i] - fused.scores[placed[row]]))));
      put(this.parts.foot, "data-residual", String(residual));
      say(this.parts.foot, `${frame.rows.length} of ${n} candidates watched · the terms add up to the scores: residual ${number(residual)}`);
    } else {
      put(this.parts.foot, "data-residual", null);
      say(this.parts.foot, `${frame.rows.length} of ${n} candidates watched`);
    }
  }

  empty() {
    say(this.parts.said, "No candidate: every lane that ran matched nothing, so there is nothing to fuse.");
    this.parts.play.disabled = true;
  }

  // ---- motion

  measure(lane) {
    const stage = this.stage.getBoundingClientRect();
    const found = new Map();
    for (const row of this.cards.keys()) {
      const chip = this.chips.get(`${lane} ${row}`);
      if (!chip) continue;
      const box = chip.getBoundingClientRect();
      found.set(row, { x: box.left - stage.left, y: box.top - stage.top });
    }
    return found;
  }

  /** Each term flies from its place in the lane to the end of its candidate's bar, its number written on it. */
  fly(frame, from) {
    const lane = this.filled.find((each) => each.column === frame.added - 1);
    const time = FLIGHT / this.speed;
    const stage = this.stage.getBoundingClientRect();
    const list = this.parts.list.getBoundingClientRect();
    const scale = this.scale(frame);
    frame.rows.forEach((row, i) => {
      const start = from.get(row);
      if (!start) return;
      const made = this.lines.get(row);
      const track = made.bar.getBoundingClientRect();
      const term = this.term(row, lane.column);
      const width = Math.max(6, (track.width * term) / scale);
      const before = (track.width * (frame.totals[i] - term)) / scale;
      const end = { x: track.left - stage.left + before, y: list.top - stage.top + i * LINE + 8 };
      const el = h("div", { class: "wbp-flying", "aria-hidden": "true", style: { width: `${width}px`, background: paint(lane) } }, h("span", { text: this.rawSums ? number(term) : termText({ ...this.state.setting, ...this.change }, lane.column, this.given.ranks[lane.column][row]) ?? number(term) }));
      this.stage.append(el);
      const path = [start, end].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` }));
      const flight = el.animate(path, { duration: time, easing: "cubic-bezier(.4,0,.2,1)", fill: "both" });
      this.flying.add({ el, flight });
      flight.onfinish = () => el.remove();
      this.countUp(made.total, frame.totals[i] - term, frame.totals[i], time);
    });
  }

  countUp(el, from, to, time) {
    const start = performance.now();
    const final = number(to);
    const tick = (now) => {
      const part = Math.min(1, (now - start) / time);
      if (el.wbpTo !== to || part === 1) return say(el, el.wbpTo === to ? final : el.textContent);
      say(el, number(from + (to - from) * part));
      requestAnimationFrame(tick);
    };
    el.wbpTo = to;
    requestAnimationFrame(tick);
  }

  /** Ends what is in the air, so that the next frame starts from where things belong. */
  land() {
    for (const { el, flight } of this.flying) {
      flight.cancel();
      el.remove();
    }
    this.flying.clear();
    for (const { total } of this.lines.values()) total.wbpTo = undefined;
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
    if (this.at >= this.frames.length - 1) this.show(0, { animate: false });
    say(this.parts.play, "⏸ Pause");
    const next = () => {
      this.show(this.at + 1);
      this.speak();
      if (this.at >= this.frames.length - 1) return this.pause();
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
    this.rawSums = on;
    this.folds = null;
    this.reel();
    this.show(this.frames.length - 1);
    this.speak();
  }

  preview(change) {
    this.fused = fuse(this.given, change);
    this.change = change;
    this.placed = this.folds = null;
    this.previewing = true;
    this.note("dragging: worked out here");
    const last = this.at >= this.given.lanes.length + 2;
    this.reel();
    this.show(last ? this.given.lanes.length + 2 : this.at);
    for (const each of this.knobs) each.settle(change, true);
  }

  confirm(change) {
    const changes = asked(this.state, change);
    if (changes === null) return this.update(this.state, this.buffers);
    this.waiting = true;
    this.note("asking Python …");
    this.ctx.send({ type: "set", changes });
  }

  refused(error) {
    for (const each of this.knobs) each.settle(this.change);
    this.root.dispatchEvent(new CustomEvent("wb-error", { detail: error.message, bubbles: true }));
  }

  failed() {
    if (!this.waiting) return;
    this.waiting = false;
    this.update(this.state, this.buffers);
  }

  receive(message) {
    if (message.type === "answered" && this.waiting) this.update(this.state, this.buffers);
  }

  reset() {
    this.waiting = true;
    this.ctx.send({ type: "reset" });
  }

  note(text) {
    say(this.parts.state, text);
  }

  marks() {
    const { selected, hovered, pinned } = this.ctx.bus.now;
    const each = [...this.lines].map(([row, made]) => [row, made.el]).concat([...this.chips.values()].map((el) => [Number(el.dataset.row), el]));
    for (const [row, el] of each) {
      const { id } = this.cards.get(row);
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
    const { now, given } = this;
    const heads = ["place", "candidate", ...given.lanes, "total"].map((text) => h("th", { scope: "col", text }));
    const lines = now.rows.map((row, i) => {
      const { tag, title, id } = this.cards.get(row);
      const terms = given.lanes.map((_, lane) => {
        const term = this.termIn(now, row, lane);
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

/** a, b … z, a2, b2 … */
const tagAt = (i) => `${String.fromCharCode(97 + (i % 26))}${i >= 26 ? Math.floor(i / 26) + 1 : ""}`;

function places(order, n) {
  const found = new Int32Array(n).fill(-1);
  order.forEach((row, place) => (found[row] = place));
  return found;
}

export default view(mount);
