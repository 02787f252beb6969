// The gate: features, floors and threshold as bars and lines, knobs that move it, what turns it, how it asked again.
import { gate as decide } from "./kernels.js";
import { add, coalesce, fill, h, keys, letter, listen, liveRegion, number, paint, put, roving, say, share, signed, view } from "./common.js";
import { asking } from "./asking.js";
import { grid, keyTable, overlay } from "./panel.js";
import { told } from "./gate_words.js";
import { Trial } from "./gate_trial.js";

const HELP = [
  ["J / K, ↓ / ↑", "next and previous feature, each said in a sentence"],
  ["Tab", "to the sliders, the changes that turn the verdict, the passages that gave a term"],
  ["1 / 2 / 3", "the presets strict, balanced and lenient"],
  ["R", "back to the settings that the run was asked with"],
  ["T", "everything as tables"],
  ["Esc", "close"],
];
const NAMES = {
  threshold: "the threshold",
  min_top_score: "the floor of top_score",
  min_coverage: "the floor of coverage",
};

export function mount(el, ctx) {
  const gate = new Gate(el, ctx);
  gate.update(ctx.state);
  return gate;
}

class Gate {
  constructor(el, ctx) {
    this.ctx = ctx;
    this.live = liveRegion();
    this.asking = asking(ctx.send, () => this.status("no answer from Python: worked out here"));
    this.drag = coalesce((change) => this.preview(change), { failed: (error) => this.refused(error) });
    const box = (name, tag = "div") => h(tag, { class: `wbg-${name}` });
    this.parts = {
      query: h("b", { class: "wbg-query wb-line" }),
      verdict: h("span", { class: "wbg-verdict" }),
      said: h("p", { class: "wbg-said", tabindex: "0", role: "region", "aria-label": "The decision in words" }),
      presets: h("span", { class: "wbg-presets", role: "group", "aria-label": "Presets" }),
      state: h("span", { class: "wbg-state", role: "status" }),
      reset: h("button", { disabled: true, on: { click: () => this.reset() } }, "Reset"),
      gauge: box("gauge"), rows: box("rows"), why: box("why"), flips: box("flips"), times: box("times", "ol"),
      trial: box("trial"),
    };
    const { query, verdict, said, presets, state, reset, gauge, rows, why, flips, times, trial } = this.parts;
    this.over = overlay();
    const table = h("button", { on: { click: () => this.toggle("table") } }, "Table");
    const help = h("button", { "aria-label": "Help: the keys", on: { click: () => this.toggle("help") } }, "?");
    const bar = h("div", { class: "wbg-bar" }, presets, state, reset, table, help);
    const half = (title, part) => h("section", { "aria-label": title }, h("h4", null, title), part);
    this.root = h("div", { class: "wbg" }, h("div", { class: "wbg-top" }, query, verdict), said, bar, gauge, rows);
    add(this.root, [h("div", { class: "wbg-halves" }, half("Conditions and terms", why), half("What alone would turn the verdict", flips))]);
    this.asked = half("How it asked", times);
    add(this.root, [this.asked, trial, this.over.el, this.live.el]);
    el.append(this.root);
    this.lines = roving(() => [...this.root.querySelectorAll(".wbg-row[tabindex]")]);
    const step = (by) => () => this.step(by);
    const preset = (place) => () => this.preset(this.state.presets[place]);
    this.off = [
      keys(this.root, {
        j: step(1), ArrowDown: step(1), k: step(-1), ArrowUp: step(-1), r: () => this.reset(),
        1: preset(0), 2: preset(1), 3: preset(2),
        t: () => this.toggle("table"), "?": () => this.toggle("help"), Escape: () => this.over.close(),
      }),
      ctx.bus.on(() => this.marks()),
    ];
  }

  // ---- state in

  update(state) {
    this.state = state;
    if (this.asking.open) return; // a newer question is on its way; its answer draws
    this.draw();
  }

  receive(message) {
    if (message.type !== "answered") return;
    if (!this.asking.answered(message)) return;
    this.draw();
    this.status("confirmed by Python", "good");
  }

  /** Python refused: back to the last good state. */
  failed() {
    this.asking.refused();
    if (!this.asking.open) this.draw();
  }

  refused(error) {
    this.asking.drop();
    this.draw();
    this.root.dispatchEvent(new CustomEvent("wb-error", { detail: error.message, bubbles: true }));
  }

  /** Draws Python's state, after holding the twin's answer against it. */
  draw() {
    const { state, parts } = this;
    this.policy = { ...state.policy };
    this.preset_ = state.preset.split(",")[0];
    this.status("");
    say(parts.query, state.query);
    put(parts.query, "title", state.query);
    parts.reset.disabled = !state.changed;
    this.attempt = state.attempts[state.best];
    this.root.classList.toggle("wbg-none", !this.attempt.gate);
    if (!this.attempt.gate) return say(parts.said, "This run has no gate decision.");
    state.attempts.forEach((attempt, place) => attempt.gate && this.check(attempt, place));
    this.build();
    this.trial.check();
    this.words();
    this.show();
  }

  check(attempt, place) {
    const twin = this.decide(attempt);
    const { score, passed, contributions, causes } = attempt.gate;
    const same = Object.is(twin.score, score) && twin.passed === passed && String(twin.causes) === String(causes);
    if (same && contributions.every((each, i) => Object.is(each, twin.contributions[i]))) return;
    throw new Error(`the browser and Python disagree: at attempt ${place + 1} the twin's score is ${twin.score}, Python's ${score}. What is shown may be wrong.`);
  }

  decide({ gate: { values }, evidence }) {
    return decideWith(this.state, this.policy, values, evidence);
  }

  // ---- what is built once for each shape of the state

  build() {
    const { state, parts } = this;
    const shape = JSON.stringify([state.features, state.presets, state.labelled?.rows]);
    if (this.shape === shape) return;
    this.shape = shape;
    this.knobs = new Map();
    this.presets = state.presets.map((preset, place) => {
      const { threshold, min_coverage: coverage } = preset.policy;
      const title = `threshold ${threshold}, floor of coverage ${coverage}`;
      return h("button", { title, "aria-keyshortcuts": String(place + 1), on: { click: () => this.preset(preset) } }, preset.name);
    });
    fill(parts.presets, h("span", { class: "wb-soft" }, "presets "), this.presets);
    this.buildGauge();
    this.rows = state.features.map((feature) => this.row(feature));
    const heads = ["", "value, 0 to 1; the line is its floor", "× weight", "= adds", "share"];
    const head = h("div", { class: "wbg-row wbg-heads wb-soft" }, heads.map((text) => h("span", { text })));
    fill(parts.rows, head, this.rows.map((row) => row.el));
    put(this.rows[0].el, "tabindex", "0");
    this.trial = new Trial(this, parts.trial);
  }

  buildGauge() {
    const made = { track: h("div", { class: "wbg-track" }), limit: h("i", { class: "wbg-limit" }), needle: h("i", { class: "wbg-needle" }) };
    made.segments = this.state.features.map((feature) => {
      const segment = h("span", { class: "wbg-seg", style: { background: paint(feature) } }, h("b", { text: feature.letter }));
      made.track.append(segment);
      return segment;
    });
    made.limitSaid = h("span", { class: "wbg-limitsaid" });
    made.score = h("span", { class: "wbg-score" });
    made.ends = [h("span", { class: "wb-soft" }), h("span", { class: "wb-soft" })];
    made.track.append(made.limit, made.needle);
    const knob = this.knob("threshold", 1);
    made.slide = h("div", { class: "wbg-slide" }, knob.range);
    made.ruler = h("div", { class: "wbg-ruler" }, made.ends[0], made.score, made.ends[1]);
    const scale = h("div", { class: "wbg-scale" }, h("div", { class: "wbg-above" }, made.limitSaid), made.track, made.ruler, made.slide);
    const side = h("label", { class: "wbg-side" }, h("span", null, "threshold"), knob.field);
    fill(this.parts.gauge, scale, side);
    this.gauge = made;
  }

  row(feature) {
    const made = { feature, fill: h("span", { class: "wbg-fill", style: { background: paint(feature) } }), value: h("span", { class: "wbg-value" }) };
    made.floor = feature.floor && h("i", { class: "wbg-limit" });
    made.remark = h("span", { class: "wb-soft wb-line wbg-remark" });
    made.adds = h("span", { class: "wbg-number" });
    made.share = h("span", { class: "wbg-number" });
    const name = h("span", { class: "wbg-name" }, letter(feature), h("span", { class: "wbg-named" }, h("b", { class: "wb-line", text: feature.name }), made.remark));
    const weight = this.knob(feature.weight, 1);
    const floor = feature.floor && this.knob(feature.floor, 1);
    const track = h("div", { class: "wbg-track wbg-small" }, made.fill, made.floor);
    const under = floor && h("div", { class: "wbg-floor" }, h("div", { class: "wbg-slide" }, floor.range), h("label", { class: "wb-soft" }, "floor ", floor.field));
    const bar = h("div", { class: "wbg-cell" }, h("div", { class: "wbg-line" }, track, made.value), under);
    made.el = h("div", { class: "wbg-row", role: "group", tabindex: "-1", "aria-label": feature.label }, name, bar, h("label", { class: "wbg-weight" }, h("span", { class: "wb-soft wbg-tag" }, "× weight"), weight.range, weight.field), made.adds, made.share);
    listen(made.el, "focus", () => this.lines.move(made.el, false));
    return made;
  }

  /** A slider and the exact number beside it. */
  knob(name, most) {
    const label = NAMES[name] ?? `the weight of ${name.replace("weight_", "")}`;
    const range = h("input", { type: "range", min: 0, max: most, step: 0.01, "aria-label": label });
    const field = h("input", { type: "number", class: "wbg-field", min: 0, step: "any", "aria-label": `${label}, exact` });
    listen(range, "input", () => (this.asking.touch(), this.drag({ [name]: Number(range.value) })));
    listen(range, "change", () => this.settle({ [name]: Number(range.value) }));
    listen(field, "change", () => (field.value === "" ? this.show() : this.settle({ [name]: Number(field.value) })));
    this.knobs.set(name, { range, field });
    return { range, field };
  }

  // ---- what changes

  /** Knobs under way: worked out here, nothing asked. */
  preview(change) {
    this.policy = { ...this.policy, ...change };
    this.status("dragging: worked out here");
    this.show();
  }

  /** Knobs let go, a preset or a flip: shown at once, and Python asked. */
  settle(change, preset = this.preset_) {
    this.preset_ = preset;
    this.policy = { ...this.policy, ...change };
    this.status("asking Python …");
    this.asking.ask({ type: "set", preset, changes: this.policy });
    this.show();
  }

  preset({ name, policy }) {
    if (this.attempt.gate) this.settle(policy, name);
  }

  reset() {
    if (!this.state.changed) return;
    this.status("asking Python …");
    this.asking.ask({ type: "reset" });
  }

  show() {
    const twin = this.decide(this.attempt);
    this.twin = twin;
    const { parts, state } = this;
    const ahead = this.asking.open;
    for (const part of [parts.said, parts.flips]) part.classList.toggle("wbg-stale", ahead);
    put(parts.verdict, "data-passed", String(twin.passed));
    const override = !twin.passed && state.override ? "; answered by override" : "";
    say(parts.verdict, `${twin.passed ? "✓ the gate lets it pass" : "✕ the gate says no"}${override}`);
    for (const [name, { range, field }] of this.knobs) {
      const value = this.policy[name];
      if (name.startsWith("weight_")) range.max = Math.max(1, value);
      if (document.activeElement !== range || Math.abs(range.value - value) > 0.006) range.value = value;
      put(range, "aria-valuetext", number(value));
      if (document.activeElement !== field || !ahead) field.value = String(value);
      put(field, "title", String(value));
    }
    this.presets.forEach((button, place) => put(button, "aria-pressed", String(same(state.presets[place].policy, this.policy))));
    this.showGauge(twin);
    this.rows.forEach((row, place) => this.showRow(row, place, twin));
    this.showConditions(twin);
    this.times?.forEach((time, place) => time(decideWith(state, this.policy, state.attempts[place].gate.values, state.attempts[place].evidence)));
    this.trial.show(this.policy);
  }

  showGauge({ score, contributions }) {
    const { gauge, policy } = this;
    const weights = this.state.features.map(({ weight }) => policy[weight]);
    const most = Math.max(1, weights.reduce((all, each) => all + each));
    const low = Math.min(0, ...running(contributions));
    const at = (value) => `${(100 * (value - low)) / (most - low)}%`;
    let from = 0;
    contributions.forEach((term, place) => {
      const { style } = gauge.segments[place];
      style.left = at(Math.min(from, from + term));
      style.width = `${(100 * Math.abs(term)) / (most - low)}%`;
      put(gauge.segments[place], "data-term", String(term));
      put(gauge.segments[place], "title", `${this.state.features[place].name} adds ${number(term)}`);
      from += term;
    });
    for (const [el, value] of [[gauge.limit, policy.threshold], [gauge.needle, score]]) el.style.left = at(value);
    for (const [el, value] of [[gauge.limitSaid, policy.threshold], [gauge.score, score]]) el.style.setProperty("--at", at(value));
    const [shown, limit] = told(score, policy.threshold);
    say(gauge.limitSaid, `threshold ${limit}`);
    say(gauge.score, `score ${shown}, ${share(score / most)} of the most possible`);
    put(gauge.score, "data-score", String(score));
    say(gauge.ends[0], number(low, 2));
    say(gauge.ends[1], number(most, 3));
    gauge.slide.style.left = at(0);
    gauge.slide.style.width = `${100 / (most - low)}%`;
  }

  showRow(row, place, { score, contributions }) {
    const { feature } = row;
    const { values, remarks } = this.attempt.gate;
    const value = values[place];
    const floor = feature.floor && this.policy[feature.floor];
    const [shown, limit] = feature.floor ? told(value, floor) : [number(value), ""];
    row.fill.style.width = `${100 * Math.min(Math.max(value, 0), 1)}%`;
    say(row.value, shown);
    put(row.fill, "data-value", String(value));
    if (row.floor) row.floor.style.left = `${100 * floor}%`;
    row.el.classList.toggle("wbg-broken", Boolean(feature.floor) && value < floor);
    say(row.remark, remarks[place] || feature.label);
    put(row.remark, "title", remarks[place] || feature.label);
    say(row.adds, number(contributions[place]));
    put(row.adds, "data-term", String(contributions[place]));
    const part = score > 0 ? share(contributions[place] / score) : "–";
    say(row.share, part);
    const standing = feature.floor ? `; ${value < floor ? "below" : "not below"} its floor ${limit}` : "";
    row.sentence = `${feature.name}, ${feature.label}: ${shown} times ${number(this.policy[feature.weight])} adds ${number(contributions[place])}, ${part} of the score${standing}.`;
  }

  step(by) {
    const rows = this.rows.map((row) => row.el);
    if (rows.includes(document.activeElement)) this.lines.step(by);
    else this.lines.move(rows.find((each) => each.tabIndex === 0) ?? rows[0]);
    this.live.say(this.rows.find((row) => row.el === document.activeElement)?.sentence ?? "");
  }

  showConditions({ conditions }) {
    const subject = { evidence: "passages of evidence", top_score: "best evidence score", coverage: "query terms in the evidence", score: "score" };
    const line = ({ id, observed, limit, margin, passed, binding }) => {
      const [a, b] = told(observed, limit);
      const kind = { score: "the threshold ", evidence: "" }[id] ?? "the floor ";
      const text = `${subject[id]} ${a} ${passed ? "≥" : "<"} ${kind}${b}`;
      const more = id === "evidence" ? "" : ` (${signed(margin, 3)})${binding ? (passed ? ", nearest to failing" : ", decides") : ""}`;
      return h("li", { class: passed ? "" : "wbg-failed", data: { condition: id } }, h("span", { "aria-label": passed ? "holds:" : "fails:" }, passed ? "✓ " : "✕ "), text, h("span", { class: "wb-soft", text: more }));
    };
    fill(this.conditions, conditions.map(line));
  }

  // ---- what Python put into words

  words() {
    const { parts, attempt, state } = this;
    const { explanation, reasons, covered, missing, query, flips } = attempt.gate;
    const notes = reasons.filter((reason) => reason.startsWith("Note: "));
    fill(parts.said, h("span", { text: explanation }), notes.map((note) => h("span", { class: "wb-soft", text: ` ${note}` })));
    this.conditions = h("ul", { class: "wbg-conditions" });
    const chips = (words, sign, name) => words.map((word) => h("span", { class: `wbg-chip wbg-${name}`, text: `${sign} ${word}` }));
    const measured = query === state.query ? "" : h("div", { class: "wb-soft", text: `measured on “${query}”` });
    const none = covered.length + missing.length === 0 && h("span", { class: "wb-soft" }, "the query has no content terms");
    const terms = h("div", { class: "wbg-terms" }, h("span", { class: "wb-soft" }, "query terms: "), none, chips(covered, "✓", "covered"), chips(missing, "✕ missing", "missing"));
    fill(parts.why, this.conditions, terms, measured);
    this.flips(flips);
    this.attempts();
  }

  flips(flips) {
    const near = flips.filter((flip) => flip.feasible);
    const far = flips.filter((flip) => !flip.feasible);
    const act = (flip) => {
      const [now, needed] = told(this.state.policy[flip.knob], flip.needed);
      const text = `${NAMES[flip.knob] ?? `weight of ${flip.knob.replace("weight_", "")}`} ${now} → ${needed}`.replace("the ", "");
      return h("li", null, h("button", { class: "wbg-flip", data: { knob: flip.knob, needed: String(flip.needed) }, title: flip.sentence, "aria-label": flip.sentence, on: { click: () => this.settle({ [flip.knob]: flip.needed }) }, text }));
    };
    const tell = (flip) => h("li", { class: "wb-soft", text: flip.sentence });
    const moves = near.filter((flip) => flip.knob);
    const others = near.filter((flip) => !flip.knob);
    const rest = far.length > 0 && h("details", null, h("summary", { class: "wb-soft", text: `${far.length} ${far.length === 1 ? "change" : "changes"} that would not do` }), h("ul", null, far.map(tell)));
    const wanted = others.length > 0 && h("details", { open: moves.length === 0 }, h("summary", { class: "wb-soft" }, `other evidence that would make it ${this.attempt.gate.passed ? "fail" : "pass"}`), h("ul", null, others.map(tell)));
    const none = flips.length === 0 && h("p", { class: "wb-soft" }, "No single change would turn it.");
    const lead = moves.length > 0 && h("div", { class: "wb-soft", text: `each, all else kept, makes the gate ${this.attempt.gate.passed ? "fail" : "pass"}:` });
    fill(this.parts.flips, lead, h("ul", { class: "wbg-moves" }, moves.map(act)), wanted, rest, none);
  }

  /** The attempts as a timeline: what was added to the query, from which passages, how the gate judged it. */
  attempts() {
    const { state, parts } = this;
    this.times = [];
    const many = state.attempts.length > 1;
    const mark = { same: "span", added: "ins", gone: "del" };
    const line = (attempt, place) => {
      const judged = h("span", { class: "wbg-judged" });
      this.times.push((twin) => {
        const [a, b] = told(twin.score, this.policy.threshold);
        say(judged, `${twin.passed ? "✓" : "✕"} score ${a}, threshold ${b}`);
        judged.classList.toggle("wbg-failed", !twin.passed);
      });
      const query = h("span", { class: "wbg-diff" }, attempt.diff.map(([kind, text], i) => [i > 0 && " ", h(mark[kind], { text })]));
      const best = many && place === state.best && h("span", { class: "wbg-chip" }, "reported");
      const source = ({ id, title }) => h("button", { class: "wbg-source", data: { id }, title: `${title} (${id})`, text: title, on: { click: () => this.ctx.bus.set({ selected: id }), mouseenter: () => this.ctx.bus.set({ hovered: id }), mouseleave: () => this.ctx.bus.set({ hovered: null }) } });
      const term = ({ term: word, count, from }) => h("li", null, h("ins", { text: word }), h("span", { class: "wb-soft", text: ` stands ${count === 1 ? "once" : `${count} times`} in ` }), from.map(source));
      const added = attempt.terms.length > 0 && h("details", { open: true }, h("summary", { class: "wb-soft", text: `${attempt.terms.length} ${attempt.terms.length === 1 ? "term" : "terms"} from the passages found before` }), h("ul", { class: "wbg-added" }, attempt.terms.map(term)));
      const stopped = attempt.stopped && h("div", { class: "wbg-stopped", text: `Stopped: ${attempt.stopped}.` });
      return h("li", { class: place === state.best ? "wbg-best" : "" }, h("div", { class: "wbg-time" }, query, judged, best), added, stopped);
    };
    fill(parts.times, state.attempts.filter((each) => each.gate).map(line));
    this.marks();
  }

  marks() {
    const { selected, hovered } = this.ctx.bus.now;
    for (const button of this.parts.times.querySelectorAll(".wbg-source")) {
      put(button, "aria-pressed", String(button.dataset.id === selected));
      button.classList.toggle("wbg-lit", button.dataset.id === hovered);
    }
  }

  status(text, kind = "") {
    say(this.parts.state, kind === "good" ? `✓ ${text}` : text);
    put(this.parts.state, "title", text || null);
    put(this.parts.state, "data-kind", kind || null);
  }

  // ---- tables and keys

  toggle(what) {
    const title = what === "help" ? "Keys, while the focus is in the gate" : "The gate as tables";
    this.over.toggle(what, title, () => (what === "help" ? keyTable(HELP) : h("div", { class: "wbg-tables" }, this.tables())));
  }

  tables() {
    const { attempt, twin, policy, state } = this;
    if (!attempt.gate) return [];
    const features = state.features.map(({ name, weight, floor }, i) => [name, number(attempt.gate.values[i], 6), floor ? number(policy[floor]) : "none", number(policy[weight]), number(twin.contributions[i], 6), attempt.gate.remarks[i]]);
    const conditions = twin.conditions.map(({ id, observed, limit, margin, passed, binding }) => [id, number(observed, 6), number(limit, 6), signed(margin, 6), passed ? "holds" : "fails", binding ? "yes" : ""]);
    const times = state.attempts.map((each, i) => [String(i + 1), each.query, each.gate ? number(each.gate.score, 6) : "–", each.terms.map((term) => `${term.term} (${term.from.map(({ id }) => id).join(", ")})`).join("; "), each.stopped]);
    return [
      grid(["feature", "value", "floor", "weight", "adds", "remark"], features, `score ${number(twin.score, 6)}, threshold ${number(policy.threshold, 6)}, codes ${attempt.gate.codes.join(", ")}`),
      grid(["condition", "observed", "limit", "margin", "", "decides or is nearest"], conditions),
      grid(["attempt", "query", "score", "added", "stopped"], times),
      this.trial.table(policy),
    ];
  }

  destroy() {
    for (const off of this.off) off();
    this.asking.close();
    this.root.remove();
  }
}

/** The twin's decision on measured values under a policy. */
function decideWith({ features }, policy, values, evidence) {
  const weights = features.map(({ weight }) => policy[weight]);
  return decide({ values, weights, threshold: policy.threshold, minTopScore: policy.min_top_score, minCoverage: policy.min_coverage, evidence });
}

const same = (a, b) => Object.keys(a).every((name) => a[name] === b[name]);

function running(terms) {
  let total = 0;
  return terms.map((term) => (total += term));
}

export default view(mount);
