// Grounding: the answer at the left, its evidence at the right, each sentence joined to what it stands on.
import { verdictAt } from "./kernels.js";
import { add, coalesce, complain, fill, h, keys, listen, liveRegion, number, put, roving, say, view } from "./common.js";
import { asking } from "./asking.js";
import { grid, keyTable, overlay } from "./panel.js";
import { detail, outcome, SAID, SIGNS, unlike } from "./grounding_words.js";

const GUTTER = 30;
const HELP = [
  ["J / K, ↓ / ↑", "next and previous sentence; its evidence opens at the matched place"],
  ["C, Enter", "open the evidence again, and select its passage in every view"],
  ["M", "the other method"],
  ["R", "back to the floor that the run was asked with"],
  ["T", "everything as a table"],
  ["Esc", "close"],
];

export function mount(el, ctx) {
  const view = new Grounding(el, ctx);
  view.update(ctx.state);
  return view;
}

class Grounding {
  constructor(el, ctx) {
    this.ctx = ctx;
    this.live = liveRegion();
    this.asking = asking(ctx.send, () => this.status("no answer from Python: worked out here"));
    this.drag = coalesce((floor) => this.preview(floor), { failed: (error) => this.broken(error) });
    this.active = 0;
    this.floor = {};
    this.parts = {
      query: h("b", { class: "wbr-query wb-line" }),
      verdict: h("span", { class: "wbr-chip" }),
      methods: h("span", { class: "wbr-methods", role: "group", "aria-label": "Method" }),
      range: h("input", { type: "range", min: 0, max: 1, step: 0.01, "aria-label": "the floor of a sentence" }),
      field: h("input", { type: "number", class: "wbr-field", min: 0, max: 1, step: "any", "aria-label": "the floor of a sentence, exact" }),
      state: h("span", { class: "wbr-state", role: "status" }),
      reset: h("button", { disabled: true, on: { click: () => this.reset() } }, "Reset"),
      sum: h("p", { class: "wbr-sum" }),
      answer: h("div", { class: "wbr-answer", dir: "auto", role: "group", "aria-label": "The answer, sentence by sentence" }),
      evidence: h("div", { class: "wbr-evidence", tabindex: "0", role: "region", "aria-label": "The evidence" }),
      svg: h("svg", { class: "wbr-svg", width: GUTTER, "aria-hidden": "true" }),
      detail: h("div", { class: "wbr-detail", tabindex: "0", role: "region", "aria-label": "The sentence in numbers" }),
      none: h("p", { class: "wbr-none wb-hidden" }),
    };
    const { query, verdict, methods, range, field, state, reset, sum, answer, evidence, svg, none } = this.parts;
    this.cover = overlay();
    const table = h("button", { on: { click: () => this.toggle("table") } }, "Table");
    const help = h("button", { "aria-label": "Help: the keys", on: { click: () => this.toggle("help") } }, "?");
    const floor = h("label", { class: "wbr-floor" }, "floor", range, field);
    this.two = h("div", { class: "wbr-two" }, h("h4", null, "Answer"), h("h4", null, "Evidence"), answer, svg, evidence);
    const legend = (sign, kind, text) => h("span", null, h("b", { class: `wbr-sample wbr-${kind}`, text: sign }), ` ${text}`);
    this.body = h("div", { class: "wbr-body" }, h("div", { class: "wbr-bar" }, methods, floor, state, reset, table, help), sum, this.two);
    add(this.body, [h("div", { class: "wbr-legend wb-soft" }, [
      legend("text", "full", "supported"), legend("text", "dash", "below the floor"), legend("≠ text", "clash", "in conflict"),
      h("span", null, h("mark", null, "word"), " matched"), legend("word", "far", "elsewhere"), legend("word", "absent", "nowhere"),
    ])]);
    add(this.body, [this.parts.detail]);
    this.root = h("div", { class: "wbr" }, h("div", { class: "wbr-top" }, query, verdict), none, this.body, this.cover.el, this.live.el);
    el.append(this.root);
    this.lines = roving(() => this.spans ?? []);
    const step = (by) => () => this.step(by);
    this.off = [
      listen(range, "input", () => (this.asking.touch(), this.drag(Number(range.value)))),
      listen(range, "change", () => this.settle(Number(range.value))),
      listen(field, "change", () => (field.value === "" ? this.show() : this.settle(Number(field.value)))),
      listen(answer, "mouseover", (event) => this.over(event)),
      listen(answer, "mouseleave", () => (this.light(null), ctx.bus.set({ hovered: null }))),
      listen(evidence, "mouseover", (event) => this.overEvidence(event)),
      listen(evidence, "mouseleave", () => (this.light(null), ctx.bus.set({ hovered: null }))),
      listen(answer, "scroll", () => this.later(), { passive: true }),
      listen(evidence, "scroll", () => this.later(), { passive: true }),
      ctx.bus.on(() => this.cards()),
      keys(this.root, {
        j: step(1), ArrowDown: step(1), k: step(-1), ArrowUp: step(-1),
        c: () => this.choose(), Enter: () => this.choose(), m: () => this.switch(), r: () => this.reset(),
        t: () => this.toggle("table"), "?": () => this.toggle("help"), Escape: () => this.escape(),
      }),
    ];
    this.size = new ResizeObserver(() => this.later());
    this.size.observe(this.two);
  }

  // ---- state in

  update(state) {
    this.state = state;
    if (!this.asking.open) this.draw();
  }

  receive(message) {
    if (message.type !== "answered" || !this.asking.answered(message)) return;
    this.draw();
    this.status("confirmed by Python", "good");
  }

  failed() {
    this.asking.refused();
    if (this.asking.open) return;
    if (!this.state.groundings?.[this.method]) this.method = this.state.recorded;
    this.draw();
  }

  broken(error) {
    this.asking.drop();
    this.draw();
    complain(this.root, error);
  }

  draw() {
    const { state, parts } = this;
    say(parts.query, state.query);
    put(parts.query, "title", state.query);
    say(parts.verdict, state.verdict.replaceAll("_", " "));
    put(parts.verdict, "title", outcome(state));
    this.status("");
    say(parts.none, state.missing);
    parts.none.classList.toggle("wb-hidden", !state.missing);
    this.body.classList.toggle("wb-hidden", Boolean(state.missing));
    if (state.missing) return;
    this.wanted ??= state.recorded;
    this.method = state.groundings[this.wanted] ? this.wanted : state.recorded;
    parts.reset.disabled = !state.changed;
    for (const [name, { floor, sentences }] of Object.entries(state.groundings)) {
      this.floor[name] = floor;
      const wrong = sentences.findIndex((sentence) => verdictAt(sentence, floor) !== sentence.verdict);
      if (wrong >= 0) throw new Error(`the browser and Python disagree: sentence ${wrong + 1} is ${sentences[wrong].verdict} by Python and ${verdictAt(sentences[wrong], floor)} by the twin. What is shown may be wrong.`);
    }
    this.build();
    this.show();
    this.later();
  }

  /** Texts, once for each answer and evidence. */
  build() {
    const { state, parts } = this;
    const shape = JSON.stringify([state.answer, state.sentences, state.evidence]);
    if (this.shape === shape) return;
    this.shape = shape;
    this.active = Math.min(this.active, state.sentences.length - 1);
    this.mine = state.answer.map((text, i) => h("span", { data: { piece: i }, text }));
    this.numbers = [];
    this.spans = state.sentences.map(([first, last], place) => {
      const count = h("span", { class: "wbr-num" });
      this.numbers.push(count);
      const span = h("span", { class: "wbr-s", role: "button", tabindex: place === this.active ? "0" : "-1", data: { place } }, this.mine.slice(first, last), count);
      listen(span, "focus", () => this.open(place));
      listen(span, "click", () => (span.focus({ preventScroll: true }), this.choose()));
      return span;
    });
    let at = 0;
    const flow = [];
    state.sentences.forEach(([first, last], place) => {
      flow.push(this.mine.slice(at, first), this.spans[place]);
      at = last;
    });
    fill(parts.answer, flow, this.mine.slice(at));
    this.theirs = state.evidence.map(({ pieces }, passage) => pieces.map((text, i) => h("span", { data: { passage, piece: i }, text })));
    this.boxes = state.evidence.map(({ id, title }, passage) => {
      const head = h("div", { class: "wbr-head wb-line", title: `${title} (${id})` }, h("b", { text: `${passage + 1} ${title}` }), title !== id && h("span", { class: "wb-soft", text: ` ${id}` }));
      return h("div", { class: "wbr-card", data: { id } }, head, h("div", { class: "wbr-text", dir: "auto" }, this.theirs[passage]));
    });
    fill(parts.evidence, this.boxes.length ? this.boxes : h("p", { class: "wb-soft" }, "No evidence came through."));
    parts.answer.scrollTop = 0;
    parts.evidence.scrollTop = 0;
  }

  // ---- what changes

  get found() {
    return this.state.groundings[this.method];
  }

  get sentence() {
    return this.found.sentences[this.active];
  }

  /** The verdict of a sentence at the floor that stands. */
  verdict(place, method = this.method) {
    return verdictAt(this.state.groundings[method].sentences[place], this.floor[method]);
  }

  /** The method that is not shown, where it is known. */
  get other() {
    return this.state.methods.find((name) => name !== this.method && this.state.groundings[name]);
  }

  preview(floor) {
    this.floor[this.method] = floor;
    this.status("dragging: worked out here");
    this.show();
  }

  settle(floor) {
    this.status("asking Python …");
    this.asking.ask({ type: "set", method: this.method, floor });
    if (floor >= 0 && floor <= 1) this.floor[this.method] = floor;
    this.show();
  }

  switch(method = this.state.methods?.find((name) => name !== this.method)) {
    if (!method || method === this.method) return;
    this.wanted = method;
    if (this.state.groundings[method]) {
      this.method = method;
      this.show();
      this.later();
    } else {
      this.status("asking Python …");
      this.asking.ask({ type: "method", method });
    }
  }

  reset() {
    if (!this.state.changed) return;
    this.status("asking Python …");
    this.asking.ask({ type: "reset" });
  }

  show() {
    const { state, parts, found } = this;
    const floor = this.floor[this.method];
    fill(parts.methods, state.methods.map((name) => h("button", { "aria-pressed": String(name === this.method), on: { click: () => this.switch(name) }, text: name })));
    if (document.activeElement !== parts.range) parts.range.value = floor;
    put(parts.range, "aria-valuetext", number(floor));
    if (document.activeElement !== parts.field || !this.asking.open) parts.field.value = String(floor);
    const counts = new Map();
    this.spans.forEach((span, place) => {
      const verdict = this.verdict(place);
      counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
      put(span, "data-verdict", verdict);
      put(span, "aria-pressed", String(place === this.active));
      const { score } = found.sentences[place];
      const differs = this.other && unlike(this.verdict(place, this.other), verdict);
      say(this.numbers[place], `${SIGNS[verdict]} ${score === null ? "not checked" : number(score, 2)}${differs ? ` ⇄ ${SIGNS[this.verdict(place, this.other)]}` : ""}`);
      const told = this.other && `; by ${this.other}: ${SAID[this.verdict(place, this.other)]}`;
      put(this.numbers[place], "title", `${SAID[verdict]}${told || ""}`);
    });
    const order = Object.keys(SAID).filter((verdict) => counts.has(verdict));
    const mean = found.score === null ? "no sentence can be checked" : `mean ${number(found.score)}`;
    const others = this.other && this.spans.filter((_, place) => unlike(this.verdict(place), this.verdict(place, this.other))).length;
    const differs = this.other ? ` ${this.other} judges ${others} of ${this.spans.length} otherwise.` : "";
    say(parts.sum, `By ${this.method}, at ${number(floor)}: ${order.map((verdict) => `${counts.get(verdict)} ${SAID[verdict]}`).join(", ")}; ${mean}.${differs}`);
    this.marks();
    this.words();
  }

  words() {
    const other = this.other && { method: this.other, verdict: this.verdict(this.active, this.other), floor: this.floor[this.other], score: this.state.groundings[this.other].sentences[this.active].score };
    const judged = this.state.groundings.alignment ? this.verdict(this.active, "alignment") : null;
    fill(this.parts.detail, detail({
      place: this.active, count: this.spans.length, sentence: this.sentence, verdict: this.verdict(this.active), method: this.method, floor: this.floor[this.method],
      overlap: this.state.overlaps[this.active], judged, other, titles: this.state.evidence.map(({ title }) => title), ahead: this.asking.open, f1Floor: this.floor.f1 ?? this.state.floors.f1,
      flag: (flag) => ({ mouseenter: () => this.light(flag), focus: () => this.light(flag), mouseleave: () => this.light(null), blur: () => this.light(null), click: () => flag.at && this.reveal(flag.at) }),
    }));
  }

  /** Marks of the sentence that is open, on both sides. */
  marks() {
    for (const piece of [...this.mine, ...this.theirs.flat()]) put(piece, "class", null);
    const mark = (piece, name) => piece?.classList.add(name);
    const { windows, tokens, flags } = this.sentence;
    this.spans.forEach((span, place) => span.classList.toggle("wbr-open", place === this.active));
    for (const window of windows) for (const piece of this.at(window)) mark(piece, "wbr-win");
    for (const [state, first, last, at] of tokens) {
      if (state === "stop") continue;
      for (const piece of this.mine.slice(first, last)) mark(piece, { matched: "wbr-hit", elsewhere: "wbr-far", absent: "wbr-absent", conflict: "wbr-clash" }[state]);
      if (state === "matched" || state === "elsewhere") for (const window of at) for (const piece of this.at(window)) mark(piece, state === "matched" ? "wbr-hit" : "wbr-far");
    }
    for (const { severity, span: [first, last], at } of flags) {
      if (severity !== "conflict") continue;
      for (const piece of [...this.mine.slice(first, last), ...(at ? this.at(at) : [])]) mark(piece, "wbr-clash");
    }
    this.cards();
    this.later();
  }

  /** The pieces of evidence that a window spans. */
  at([passage, first, last]) {
    return this.theirs[passage].slice(first, last);
  }

  cards() {
    if (!this.boxes) return;
    const { selected, hovered } = this.ctx.bus.now;
    for (const box of this.boxes) {
      box.classList.toggle("wbr-sel", box.dataset.id === selected);
      box.classList.toggle("wbr-lit", box.dataset.id === hovered);
    }
  }

  // ---- opening

  open(place, reveal = true) {
    if (this.active !== place) {
      this.active = place;
      this.lines.move(this.spans[place], false);
      this.spans.forEach((span, i) => put(span, "aria-pressed", String(i === place)));
      this.marks();
      this.words();
    }
    const window = this.sentence.windows[0];
    if (window && reveal) this.reveal(window);
    this.ctx.bus.set({ hovered: window ? this.state.evidence[window[0]].id : null });
  }

  /** Scrolls the evidence to a window, unless it is seen already. */
  reveal(window) {
    const { evidence } = this.parts;
    const pieces = this.at(window);
    if (!pieces.length) return;
    const frame = evidence.getBoundingClientRect();
    const [top, bottom] = [pieces[0].getBoundingClientRect().top - frame.top, pieces.at(-1).getBoundingClientRect().bottom - frame.top];
    const head = pieces[0].closest(".wbr-card").firstChild.offsetHeight;
    if (top >= head && bottom <= frame.height) return;
    const to = evidence.scrollTop + top - head - 8;
    evidence.scrollTo({ top: Math.max(0, to), behavior: this.ctx.motion() ? "smooth" : "auto" });
  }

  step(by) {
    const inside = this.spans?.includes(document.activeElement);
    const to = Math.min(Math.max(this.active + (inside ? by : 0), 0), (this.spans?.length ?? 0) - 1);
    if (to < 0) return;
    const span = this.spans[to];
    span.focus({ preventScroll: true });
    const { answer } = this.parts;
    const [a, b] = [span.getBoundingClientRect(), answer.getBoundingClientRect()];
    if (a.top < b.top) answer.scrollTop += a.top - b.top;
    else if (a.bottom > b.bottom) answer.scrollTop += a.bottom - b.bottom;
    this.live.say(this.heard());
  }

  heard() {
    const { score, reason } = this.sentence;
    return `Sentence ${this.active + 1} of ${this.spans.length}: ${SAID[this.verdict(this.active)]}${score === null ? "" : `, ${number(score, 2)}`}. ${reason}`;
  }

  choose() {
    if (!this.spans) return;
    const window = this.sentence.windows[0];
    if (!window) return this.live.say("No evidence carries this sentence.");
    const { id, title } = this.state.evidence[window[0]];
    this.reveal(window);
    this.ctx.bus.set({ selected: id });
    this.live.say(`Opened ${title}.`);
  }

  over({ target }) {
    const span = target.closest(".wbr-s");
    if (!span) return this.light(null);
    this.open(Number(span.dataset.place));
    const piece = Number(target.dataset.piece);
    this.light(this.pairs().find(({ span: [first, last] }) => piece >= first && piece < last) ?? null);
  }

  overEvidence({ target }) {
    const box = target.closest(".wbr-card");
    if (!box) return;
    this.ctx.bus.set({ hovered: box.dataset.id });
    const [passage, piece] = [Number(target.dataset.passage), Number(target.dataset.piece)];
    const holds = (at) => at && at[0] === passage && piece >= at[1] && piece < at[2];
    this.light(this.pairs().find(({ all }) => all.some(holds)) ?? null);
  }

  /** What is joined across the two sides: words that match, and flags with both their places. */
  pairs() {
    const words = this.sentence.tokens.filter(([state, , , at]) => state !== "stop" && at.length > 0);
    const flags = this.sentence.flags.filter(({ at, severity }) => at && severity === "conflict");
    return [
      ...flags.map(({ span, at }) => ({ span, at, all: [at], kind: "clash" })),
      ...words.filter(([state]) => state !== "conflict").map(([state, first, last, at]) => ({ span: [first, last], at: at[0], all: at, kind: state === "elsewhere" ? "far" : "hit" })),
    ];
  }

  light(pair) {
    const key = pair && String([pair.span, pair.at]);
    if (this.litKey === key) return;
    this.litKey = key;
    for (const piece of this.root.querySelectorAll(".wbr-pair")) piece.classList.remove("wbr-pair");
    if (pair) {
      const windows = pair.all ?? (pair.at ? [pair.at] : []);
      for (const piece of [...this.mine.slice(...pair.span), ...windows.flatMap((at) => this.at(at))]) piece.classList.add("wbr-pair");
    }
    this.later();
  }

  // ---- connectors, in the gutter only

  later() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      if (this.root.isConnected && this.spans && !this.state.missing) this.join();
    });
  }

  join() {
    const { svg, answer, evidence } = this.parts;
    const frame = svg.getBoundingClientRect();
    const middle = (pieces, box) => {
      const rect = pieces[0]?.getClientRects()[0];
      if (!rect) return null;
      const y = rect.top + rect.height / 2;
      return y < box.top || y > box.bottom ? null : Math.round(y - frame.top);
    };
    const boxes = [answer.getBoundingClientRect(), evidence.getBoundingClientRect()];
    const drawn = new Map();
    for (const { span, at, kind } of this.pairs()) {
      const [a, b] = [middle(this.mine.slice(...span), boxes[0]), middle(this.at(at), boxes[1])];
      if (a === null || b === null) continue;
      const lit = this.litKey === String([span, at]);
      const key = `${a} ${b} ${kind}`;
      drawn.set(key, { a, b, kind, lit: lit || Boolean(drawn.get(key)?.lit) });
    }
    const half = GUTTER / 2;
    fill(svg, [...drawn.values()].map(({ a, b, kind, lit }) => h("path", { class: `wbr-${kind}${lit ? " wbr-bold" : ""}`, d: `M0 ${a} C${half} ${a} ${half} ${b} ${GUTTER} ${b}` })));
  }

  status(text, kind = "") {
    say(this.parts.state, kind === "good" ? `✓ ${text}` : text);
    put(this.parts.state, "title", text || null);
    put(this.parts.state, "data-kind", kind || null);
  }

  // ---- table and keys

  toggle(what) {
    const title = what === "help" ? "Keys, while the focus is in the grounding" : "The answer's sentences as a table";
    this.cover.toggle(what, title, () => (what === "help" ? keyTable(HELP) : this.table()));
  }

  escape() {
    if (!this.cover.close()) this.light(null);
  }

  table() {
    const { state } = this;
    if (state.missing) return h("p", { text: state.missing });
    const names = state.methods.filter((name) => state.groundings[name]);
    const heads = ["", "sentence", ...names.flatMap((name) => [`${name}, floor ${number(this.floor[name])}`, "score"]), "f1 precision", "f1 recall", "evidence", "flags"];
    const rows = state.sentences.map(([first, last], place) => {
      const { windows, flags } = this.found.sentences[place];
      const overlap = state.overlaps[place];
      const judged = names.flatMap((name) => {
        const { score } = state.groundings[name].sentences[place];
        return [SAID[this.verdict(place, name)], score === null ? "not checked" : number(score)];
      });
      const parts = overlap ? [number(overlap.precision), number(overlap.recall)] : ["none shared", "none shared"];
      const where = windows.map((window) => `${state.evidence[window[0]].id}: “${this.at(window).map((piece) => piece.textContent).join("")}”`).join("; ");
      return [String(place + 1), state.answer.slice(first, last).join(""), ...judged, ...parts, where, flags.map((flag) => flag.sentence).join(" ")];
    });
    return grid(heads, rows);
  }

  destroy() {
    for (const off of this.off) off();
    this.asking.close();
    this.size.disconnect();
    this.root.remove();
  }
}

export default view(mount);
