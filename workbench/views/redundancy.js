// Redundancy: the similarities in selection order, and the race for the next pick beside them, step by step.
import { add, coalesce, fill, h, keys, listen, liveRegion, nth, number, put, say, typed, view } from "./common.js";
import { asking } from "./asking.js";
import { heatMap } from "./heat_map.js";
import { mmr } from "./kernels.js";
import { grid, keyTable, knob, overlay } from "./panel.js";

const NARROW = 520; // px: below it a row takes a line more
const GUTTER = 34;
const BEAT = 1100; // ms between the steps of a play
const HELP = [
  ["Space", "play the picks, or pause"],
  [". / ,", "one pick on, one pick back"],
  ["J / K, ↓ / ↑", "next and previous candidate; in the heat map the arrows move a cell"],
  ["Enter", "select the candidate; in the heat map: open the cell's two texts"],
  ["P", "pin, to compare others with it"],
  ["T", "picks and similarities as tables"],
  ["Esc", "close"],
];

export function mount(el, ctx) {
  const made = new Redundancy(el, ctx);
  made.update(ctx.state, ctx.buffers);
  return made;
}

class Redundancy {
  constructor(el, ctx) {
    this.ctx = ctx;
    this.live = liveRegion();
    this.over = overlay();
    this.python = asking((message) => ctx.send(message), () => this.status("no Python answers: worked out here"));
    this.rows = [];
    const button = (text, act, label) => h("button", { "aria-label": label, on: { click: act } }, text);
    this.parts = {
      query: h("b", { class: "wbo-grow wbo-query" }),
      status: h("span", { class: "wbo-status", role: "status" }),
      told: h("p", { class: "wbx-told", tabindex: "0", role: "region", "aria-label": "This pick" }),
      note: h("span", { class: "wbo-note wb-hidden" }),
      plane: h("div", { class: "wbx-plane", role: "listbox", "aria-label": "Picks, then what is left" }),
      threads: h("svg", { class: "wbx-threads", "aria-hidden": "true" }),
      count: h("span", { class: "wbx-count" }),
      scrub: h("input", { type: "range", min: 0, step: 1, "aria-label": "Picks made" }),
      play: button("▶ Play", () => this.play(), null),
      reset: button("Reset", () => this.ask({ type: "reset" }), "Reset: back to the Trace as given"),
      off: button("Turn diversity off", () => this.ask({ type: "set", changes: { lambda_mmr: null } })),
      left: h("b"),
    };
    const p = this.parts;
    this.knob = knob({
      label: "λ: 0 diversity only, 1 relevance only", min: 0, max: 1, step: 0.01, high: 1,
      drag: (value) => (this.pause(), this.drag(value)), done: (value) => this.confirm(value),
    });
    const ends = h("div", { class: "wbo-row wbx-ends" }, h("b", null, "λ"), h("span", null, "0 diversity only"), this.knob.range, h("span", null, "1 relevance only"), this.knob.field, p.note);
    const steps = h("div", { class: "wbo-row wbx-steps" }, button("|◀", () => this.to(0), "To the start"), button("◀", () => this.to(this.step - 1), "One pick back"), p.play, button("▶|", () => this.to(this.step + 1), "One pick on"), p.scrub, p.count);
    this.map = heatMap({ title: (candidate) => this.title(candidate), open: (one, other) => this.openPair(one, other), live: this.live });
    const heads = h("div", { class: "wbx-heads" }, h("b", null, "picked"), p.left);
    this.scroll = h("div", { class: "wbx-scroll" }, heads, p.plane);
    this.main = h("div", { class: "wbx-main" }, this.map.el, this.scroll);
    this.onParts = h("div", null, ends, p.told, steps, this.main);
    this.offPart = h("div", { class: "wbx-off" });
    this.root = h("div", { class: "wbx" }, h("div", { class: "wbo-row" }, p.query, p.status), this.onParts, this.offPart);
    this.hint = h("span", { class: "wbo-grow wb-soft wb-line" }, h("kbd", null, "Space"), " plays · ", h("kbd", null, "J"), " ", h("kbd", null, "K"), " move · click a cell: its two texts · ", h("kbd", null, "?"), " help");
    const table = button("Table", () => this.table());
    this.tableButton = table;
    add(this.root, [h("div", { class: "wbo-row wbo-foot" }, this.hint, p.off, p.reset, table, button("?", () => this.help(), "Help: the keys")), this.over.el, this.live.el]);
    el.append(this.root);
    this.drag = coalesce((value) => this.preview(value), { failed: (error) => this.refused(error) });
    listen(p.scrub, "input", () => this.to(Number(p.scrub.value)));
    const inMap = (by, act) => () => (this.map.focused() ? this.map.move(by) : act());
    this.offs = [
      ctx.bus.on(() => this.marks()),
      keys(this.root, {
        j: inMap([1, 0], () => this.move(1)), ArrowDown: inMap([1, 0], () => this.move(1)),
        k: inMap([-1, 0], () => this.move(-1)), ArrowUp: inMap([-1, 0], () => this.move(-1)),
        ArrowRight: inMap([0, 1], () => {}), ArrowLeft: inMap([0, -1], () => {}),
        Enter: () => (this.map.focused() ? this.map.open() : this.choose()),
        p: () => this.pin(), " ": () => this.play(), ".": () => this.to(this.step + 1), ",": () => this.to(this.step - 1),
        t: () => this.table(), "?": () => this.help(), Escape: () => this.over.close(),
      }),
    ];
    this.size = new ResizeObserver(() => this.on && this.rows.length && this.draw());
    this.size.observe(this.map.el);
    listen(this.scroll, "scroll", () => this.threads(), { passive: true });
  }

  // ---- state in

  update(state, buffers) {
    this.newest = [state, buffers];
    if (this.state && this.python.open) return; // a newer question is under way: its answer is drawn
    const before = this.state;
    this.pause();
    [this.state, this.buffers, this.on, this.n] = [state, buffers, state.on, state.n];
    const { parts } = this;
    say(parts.query, state.query);
    put(parts.query, "title", state.query);
    this.status("");
    parts.reset.disabled = !state.changed;
    for (const [each, shown] of [[this.onParts, this.on], [parts.off, this.on], [this.tableButton, this.on], [this.offPart, !this.on]]) {
      each.classList.toggle("wb-hidden", !shown);
    }
    this.hint.style.visibility = this.on ? "visible" : "hidden";
    if (!this.on) return this.offer();
    this.relevance = typed(Float64Array, buffers.relevance);
    this.similarity = typed(Float64Array, buffers.similarity);
    this.names = state.byId.map((place) => String(place).padStart(8, "0")); // they order as the ids do
    this.recorded = recorded(state, buffers);
    const run = state.whole ? this.race(state.lambda) : this.recorded;
    const wrong = state.whole && difference(this.recorded, run);
    if (wrong) throw new Error(`the browser and Python disagree: ${wrong}. What is shown may be wrong.`);
    this.knob.range.disabled = this.knob.field.disabled = !state.whole;
    this.knob.set(state.lambda);
    const same = before?.on && JSON.stringify(before.ids) === JSON.stringify(state.ids);
    if (!same) this.build();
    this.take(state.lambda, run, same ? this.step : Math.min(state.kept, run.picks.length));
  }

  failed() {
    this.python.refused();
    this.update(...this.newest);
  }

  receive(message) {
    if (message.type === "pair") this.showPair(message);
    if (message.type !== "answered" || !this.python.answered(message)) return;
    this.update(...this.newest);
    this.status("✓ confirmed by Python");
  }

  offer() {
    const { offered, n, reranker } = this.state;
    const turn = h("button", { on: { click: () => this.ask({ type: "set", changes: { lambda_mmr: offered } }) } }, `Turn diversity on at λ ${offered}`);
    turn.disabled = n === 0;
    const said = n ? `Diversity is off: the ${n} candidates stand as ${reranker} reranking left them, however alike they are.` : "Diversity is off, and there is no candidate to choose from.";
    fill(this.offPart, h("p", { text: said }), turn);
  }

  race(lambda) {
    const { picks, steps, changed } = mmr({ ids: this.names, relevance: this.relevance, similarity: this.similarity, lambda });
    const at = new Map(this.names.map((name, place) => [name, place]));
    return { picks, changed, steps: steps.map((step) => ({ ...step, against: step.against === null ? -1 : at.get(step.against) })) };
  }

  take(lambda, run, step) {
    [this.lambda, this.run] = [lambda, run];
    const { n, relevance, parts } = this;
    this.placeOf = new Int32Array(n).fill(-1);
    run.picks.forEach((pick, place) => (this.placeOf[pick] = place));
    // the axis holds every bar of every step, so that no step moves it
    const nets = run.steps.map((each) => each.score);
    const gains = Array.from(relevance, (each) => lambda * each);
    const most = Math.max(0, ...gains, ...nets);
    const least = Math.min(0, ...gains, ...nets, ...this.lowest(lambda));
    this.axis = { least, span: most - least || 1 };
    parts.note.classList.toggle("wb-hidden", run.changed);
    say(parts.note, "the picks stand in relevance order: λ changes nothing here");
    put(parts.scrub, "max", run.picks.length);
    this.to(step, true);
  }

  /** The lowest score that each candidate sinks to before it is picked. */
  lowest(lambda) {
    return this.run.picks.map((pick, place) => lambda * this.relevance[pick] - this.heaviest(pick, place).redundancy * (1 - lambda)).filter(Number.isFinite);
  }

  /** The largest similarity of a candidate to the first `step` picks, and the pick that makes it. */
  heaviest(candidate, step) {
    let [redundancy, against] = [-Infinity, -1];
    for (const pick of this.run.picks.slice(0, step)) {
      const like = this.similarity[candidate * this.n + pick];
      if (like > redundancy) [redundancy, against] = [like, pick];
    }
    return { redundancy, against };
  }

  /** What is left after `step` picks, best first. */
  left(step) {
    const { lambda } = this;
    const held = [];
    for (let candidate = 0; candidate < this.n; candidate++) {
      const place = this.placeOf[candidate];
      if (place >= 0 && place < step) continue;
      const { redundancy, against } = this.heaviest(candidate, step);
      const gain = lambda * this.relevance[candidate];
      held.push({ candidate, gain, redundancy, against, score: step ? gain - redundancy * (1 - lambda) : gain });
    }
    return held.sort((a, b) => b.score - a.score || this.state.byId[a.candidate] - this.state.byId[b.candidate]);
  }

  // ---- steps

  to(step, still = false) {
    const { run, parts } = this;
    if (!still) this.pause();
    this.step = Math.min(Math.max(step, 0), run.picks.length);
    parts.scrub.value = this.step;
    put(parts.scrub, "aria-valuetext", `${this.step} of ${run.picks.length} picks`);
    say(parts.count, `${this.step} of ${run.picks.length} picks`);
    this.sentence();
    this.draw();
    this.paint();
  }

  play() {
    if (!this.on) return;
    if (this.timer) return this.pause();
    if (this.step >= this.run.picks.length) this.to(0);
    say(this.parts.play, "⏸ Pause");
    const beat = () => {
      this.to(this.step + 1, true);
      this.live.say(this.parts.told.textContent);
      if (this.step >= this.run.picks.length) this.pause();
    };
    this.timer = setInterval(beat, BEAT);
    beat();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    say(this.parts.play, "▶ Play");
  }

  title(candidate) {
    return this.state.titles[candidate];
  }

  quoted(candidate) {
    return `“${this.title(candidate)}”`;
  }

  /** The pick of this step in words, and the best-scoring loser. */
  sentence() {
    const { step, run, lambda, parts } = this;
    if (step === 0) return say(parts.told, `Nothing is picked yet, so nothing is redundant: the most relevant candidate goes first. ${this.quoted(run.picks[0])} leads with ${number(this.relevance[run.picks[0]])}.`);
    const pick = run.picks[step - 1];
    const { redundancy, against, score, decided } = run.steps[step - 1];
    const gain = `${number(lambda)}·${number(this.relevance[pick])} relevance`;
    const loss = step === 1 ? ", redundancy none yet," : ` − ${number(1 - lambda)}·${number(redundancy)} redundancy with ${this.quoted(against)} (pick ${this.placeOf[against] + 1})`;
    const tie = decided === "id" ? " Tied for best: the ascending id decides." : "";
    say(parts.told, `Pick ${step}: ${this.quoted(pick)}: ${gain}${loss} = ${number(score)}.${tie} ${this.loser(step)}`);
  }

  loser(step) {
    const [best, ...rest] = this.left(step - 1);
    if (rest.length === 0) return "";
    const loser = rest.reduce((most, each) => (this.relevance[each.candidate] > this.relevance[most.candidate] ? each : most));
    const name = this.quoted(loser.candidate);
    if (step > 1 && this.relevance[loser.candidate] > this.relevance[best.candidate]) {
      return `Skipped: ${name}, more relevant (${number(this.relevance[loser.candidate])}) but ${number(loser.redundancy, 2)} like ${this.quoted(loser.against)}.`;
    }
    return `Next best was ${this.quoted(rest[0].candidate)}, ${number(best.score - rest[0].score, 2)} behind.`;
  }

  // ---- rows

  build() {
    const { parts, n } = this;
    this.rows = Array.from({ length: n }, (_, candidate) => this.row(candidate));
    fill(parts.plane, parts.threads, this.rows.map((row) => row.el));
    this.focused = undefined;
  }

  row(candidate) {
    const made = { place: h("b"), title: h("span", { class: "wb-line wbo-grow" }), gain: h("i", { class: "wbx-gain" }), loss: h("i", { class: "wbx-loss" }), net: h("i", { class: "wbx-net" }), zero: h("i", { class: "wbx-zero" }), sum: h("span"), like: h("span") };
    const { ids, titles } = this.state;
    say(made.title, titles[candidate]);
    made.el = h("div", { class: "wbx-row", role: "option", tabindex: "-1", title: `${titles[candidate]} (${ids[candidate]})`, data: { id: ids[candidate] } }, h("div", { class: "wbo-row" }, made.place, made.title), h("div", { class: "wbx-bar" }, made.gain, made.loss, made.zero, made.net), h("div", { class: "wb-soft wbx-sum" }, made.sum, " ", made.like));
    listen(made.el, "mouseenter", () => this.ctx.bus.set({ hovered: ids[candidate] }));
    listen(made.el, "mouseleave", () => this.ctx.bus.set({ hovered: null }));
    listen(made.el, "focus", () => (this.focused = candidate));
    listen(made.el, "click", () => (made.el.focus({ preventScroll: true }), this.choose(candidate)));
    return made;
  }

  draw() {
    const { step, run, parts } = this;
    const left = this.left(step);
    const narrow = this.scroll.clientWidth < NARROW;
    this.pitch = narrow ? 70 : 56;
    this.root.classList.toggle("wbx-narrow", narrow);
    this.root.classList.toggle("wb-still", !this.ctx.motion());
    const height = Math.max(step, left.length) * this.pitch;
    parts.plane.style.height = `${height}px`;
    put(parts.threads, "height", height);
    say(parts.left, `left: ${left.length}`);
    this.order = [...run.picks.slice(0, step), ...left.map((each) => each.candidate)];
    run.picks.slice(0, step).forEach((pick, place) => {
      const { redundancy, against, score } = run.steps[place];
      this.write(pick, place, 0, { gain: this.lambda * this.relevance[pick], redundancy, against, score });
    });
    left.forEach((each, place) => this.write(each.candidate, place, 1, each));
    this.lines = new Map(left.filter((each) => each.against >= 0).map((each, place) => [each.candidate, [place, this.placeOf[each.against]]]));
    const stop = this.focused ?? this.order[0];
    this.rows.forEach((row, candidate) => put(row.el, "tabindex", candidate === stop ? "0" : "-1"));
    this.marks();
  }

  write(candidate, place, side, { gain, redundancy, against, score }) {
    const made = this.rows[candidate];
    const moved = `translate(${side ? `calc(100% + ${GUTTER}px)` : "0px"}, ${place * this.pitch}px)`;
    if (made.el.style.transform !== moved) made.el.style.transform = moved;
    say(made.place, side ? "" : place + 1);
    made.el.classList.toggle("wbx-kept", !side && place < this.state.kept);
    made.el.classList.toggle("wbx-last", !side && place === this.step - 1);
    put(made.el, "data-score", String(score));
    const at = (value) => `${(100 * (value - this.axis.least)) / this.axis.span}%`;
    span(made.gain, at, 0, gain);
    span(made.loss, at, gain, score);
    made.net.style.left = at(score);
    made.zero.style.left = at(0);
    const none = against < 0;
    const minus = this.lambda === 1 ? 0 : redundancy * (1 - this.lambda);
    say(made.sum, none ? number(gain, 3) : `${number(gain, 3)} − ${number(minus, 3)} = ${number(score, 3)}`);
    say(made.like, none ? "redundancy none yet" : `${number(redundancy, 2)} like the ${nth(this.placeOf[against] + 1)} pick`);
    put(made.el, "aria-label", `${side ? "left" : `pick ${place + 1}`}: ${this.title(candidate)}: ${made.sum.textContent}, ${made.like.textContent}`);
  }

  marks() {
    if (!this.on) return;
    const { selected, hovered, pinned } = this.ctx.bus.now;
    const { ids } = this.state;
    this.rows.forEach(({ el }, candidate) => {
      const id = ids[candidate];
      el.classList.toggle("wbx-sel", id === selected);
      el.classList.toggle("wbx-lit", id === hovered);
      el.classList.toggle("wbx-pin", id === pinned);
      put(el, "aria-selected", id === selected ? "true" : "false");
    });
    this.threads();
    this.paint();
  }

  /** From the rows that are seen to the pick that makes their redundancy. */
  threads() {
    const { ids } = this.state;
    const { hovered, selected } = this.ctx.bus.now;
    const { scrollTop, clientHeight } = this.scroll;
    const seen = [...this.lines].filter(([, [from]]) => (from + 1) * this.pitch > scrollTop && from * this.pitch < scrollTop + clientHeight);
    const thread = ([candidate, [from, to]]) => {
      const [a, b] = [to, from].map((place) => (place + 0.5) * this.pitch);
      const name = ids[candidate] === hovered ? "wbx-lit" : ids[candidate] === selected ? "wbx-sel" : from === 0 ? "wbx-next" : "";
      return h("path", { class: name, d: `M0 ${a} C${GUTTER / 2} ${a} ${GUTTER / 2} ${b} ${GUTTER} ${b}` });
    };
    fill(this.parts.threads, seen.reverse().map(thread));
  }

  move(by) {
    if (!this.on) return;
    const inside = document.activeElement?.closest?.(".wbx-row");
    const at = inside ? this.order.indexOf(this.focused) : -1;
    const next = this.order[Math.min(Math.max(inside ? at + by : 0, 0), this.order.length - 1)];
    this.rows.forEach((row, candidate) => put(row.el, "tabindex", candidate === next ? "0" : "-1"));
    this.rows[next].el.focus({ preventScroll: true });
    const place = this.placeOf[next] >= 0 && this.placeOf[next] < this.step ? this.placeOf[next] : this.order.indexOf(next) - this.step;
    const { scroll } = this;
    const [top, bottom] = [place * this.pitch, (place + 1) * this.pitch + 26];
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (bottom > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = bottom - scroll.clientHeight;
    this.ctx.bus.set({ hovered: this.state.ids[next] });
  }

  choose(candidate = this.focused) {
    if (candidate === undefined) return;
    this.ctx.bus.set({ selected: this.state.ids[candidate] });
    this.live.say(this.rows[candidate].el.getAttribute("aria-label"));
  }

  pin() {
    if (this.focused === undefined) return;
    const id = this.state.ids[this.focused];
    this.ctx.bus.set({ pinned: this.ctx.bus.now.pinned === id ? null : id });
  }

  // ---- the heat map

  /** Candidates in selection order: the picks, then what was never picked. */
  get axisOrder() {
    const { picks } = this.run;
    return picks.length === this.n ? picks : [...picks, ...this.left(picks.length).map((each) => each.candidate)];
  }

  paint() {
    if (!this.on || !this.run) return;
    const { n, similarity, step, state } = this;
    const { hovered, selected } = this.ctx.bus.now;
    const order = this.axisOrder;
    const marked = [hovered, selected].map((id) => order.findIndex((each) => state.ids[each] === id)).find((at) => at >= 0);
    this.map.show({ n, similarity, order, step, marked, kept: state.kept, symmetric: state.symmetric, similarityOf: state.similarityOf });
  }

  openPair(one, other) {
    this.pause();
    this.ctx.send({ type: "pair", one, other });
  }

  showPair({ places, pieces, shared, of }) {
    const like = this.similarity[places[0] * this.n + places[1]];
    const side = (place, i) => h("div", { class: "wbx-text" }, h("b", { text: this.title(place) }), h("div", { class: "wb-soft", text: this.state.ids[place] }), h("p", null, pieces[i].map((text, at) => (at % 2 ? h("mark", { text }) : text))));
    const said = `similarity ${Number.isNaN(like) ? "not recorded" : number(like)} (${this.state.similarityOf}); ${shared} terms in both, of ${of[0]} and ${of[1]}`;
    this.over.close();
    this.over.toggle("pair", "The cell's two texts, shared words marked", () => h("div", null, h("p", { text: said }), h("div", { class: "wbx-pair" }, places.map(side))));
  }

  // ---- λ

  preview(value) {
    this.python.touch();
    this.take(value, this.race(value), this.step);
    this.knob.set(value, true);
    this.status("dragging: worked out here");
  }

  confirm(value) {
    this.ask({ type: "set", changes: { lambda_mmr: value } });
  }

  ask(message) {
    this.status("asking Python …");
    this.python.ask(message);
  }

  refused(error) {
    this.knob.set(this.lambda);
    this.root.dispatchEvent(new CustomEvent("wb-error", { detail: error.message, bubbles: true }));
  }

  status(text) {
    say(this.parts.status, text);
  }

  // ---- table twin and keys

  table() {
    if (!this.on) return;
    this.pause();
    this.over.toggle("table", "Picks and similarities", () => {
      const { run, n, similarity, lambda } = this;
      const line = (pick, place) => {
        const { redundancy, against, score, decided } = run.steps[place];
        return [String(place + 1), `${this.title(pick)} (${this.state.ids[pick]})`, number(this.relevance[pick]), place ? number(redundancy) : "none yet", place ? `pick ${this.placeOf[against] + 1}` : "", number(score, 6), decided === "id" ? "tied: ascending id" : "the best of what was left", place < this.state.kept ? "kept" : ""];
      };
      const picks = grid(["pick", "candidate", "relevance", "redundancy", "with", "score", "decided by", "cut"], run.picks.map(line), `λ ${number(lambda)}: score = ${number(lambda)}·relevance − ${number(1 - lambda)}·redundancy`);
      const order = this.axisOrder;
      const cells = (a, row) => [`${row + 1}. ${this.title(a)}`, ...order.map((b) => (a === b ? "–" : Number.isNaN(similarity[a * n + b]) ? "not recorded" : number(similarity[a * n + b], 2)))];
      const map = grid(["candidate \\ pick", ...order.map((_, place) => String(place + 1))], order.map(cells), `Similarities in selection order, ${this.state.similarityOf}${this.state.symmetric ? "" : "; asymmetric: a row is weighed against the columns before it"}`);
      return h("div", null, picks, map);
    });
  }

  help() {
    this.pause();
    this.over.toggle("help", "Keys, while the focus is in the view", () => keyTable(HELP));
  }

  destroy() {
    this.pause();
    this.python.close();
    for (const off of this.offs) off();
    this.size.disconnect();
    this.root.remove();
  }
}

/** Python's own picks. */
function recorded(state, buffers) {
  const [scores, redundancy, against] = [typed(Float64Array, buffers.scores), typed(Float64Array, buffers.redundancy), typed(Int32Array, buffers.against)];
  const picks = [...typed(Int32Array, buffers.picks)];
  return { picks, changed: state.departs, steps: picks.map((_, i) => ({ score: scores[i], redundancy: against[i] < 0 ? null : redundancy[i], against: against[i], decided: state.decided[i] })) };
}

/** Where the twin's picks leave Python's, in words; null where every bit agrees. */
function difference(python, twin) {
  if (twin.picks.length !== python.picks.length) return `the twin picks ${twin.picks.length}, Python ${python.picks.length}`;
  for (const [i, step] of python.steps.entries()) {
    if (twin.picks[i] !== python.picks[i]) return `at pick ${i + 1} the twin has another candidate than Python`;
    for (const name of ["score", "redundancy", "against", "decided"]) {
      if (!Object.is(twin.steps[i][name], step[name])) return `at pick ${i + 1} the twin has ${name} ${twin.steps[i][name]}, Python ${step[name]}`;
    }
  }
  return twin.changed === python.changed ? null : "on whether λ changes anything";
}

/** A bar from one value to another, whichever is larger. */
function span(el, at, a, b) {
  const [from, to] = [parseFloat(at(Math.min(a, b))), parseFloat(at(Math.max(a, b)))];
  el.style.left = `${from}%`;
  el.style.width = `${to - from}%`;
}

export default view(mount);
