// Why: sentence, bars, table, record; one candidate against another; why not; who wins elsewhere.
import { coalesce, fill, h, keys, letter, listen, liveRegion, nth, number, paint, put, say, share, signed, view } from "./common.js";
import { asking } from "./asking.js";
import { difference, fuse, inputs, termSaid, TIES } from "./fusing.js";
import { asked, knob, named } from "./knobs.js";
import { grid, keyTable, overlay } from "./panel.js";
import { mapPanel } from "./why_map.js";

const LEVELS = ["Sentence", "Bars", "Table", "Raw record"];
const TABS = [["why", "Why"], ["compare", "Compare"], ["not", "Why not…"], ["map", "Winner map"]];
const HELP = [
  ["J / K, ↓ / ↑", "next and previous candidate"],
  [". / ,", "open the next level, close the last one"],
  ["← / →", "the tabs, while the focus is on them"],
  ["P", "pin the candidate, to compare others with it"],
  ["T", "the numbers as a table"],
  ["Esc", "close"],
];

export function mount(el, ctx) {
  const made = new Why(el, ctx);
  made.update(ctx.state, ctx.buffers);
  return made;
}

class Why {
  constructor(el, ctx) {
    this.ctx = ctx;
    this.live = liveRegion();
    this.over = overlay();
    this.python = asking((message) => ctx.send(message), () => this.status("no Python answers: worked out here"));
    [this.stamp, this.level, this.tab] = [0, 1, "why"];
    const tab = ([name, text]) => h("button", { role: "tab", tabindex: "-1", data: { tab: name }, on: { click: () => this.show(name) } }, text);
    this.parts = {
      query: h("b", { class: "wbo-grow wbo-query" }),
      status: h("span", { class: "wbo-status", role: "status" }),
      pick: h("select", { "aria-label": "Candidate", class: "wbw-pick", on: { change: () => this.select(this.parts.pick.value) } }),
      pin: h("button", { on: { click: () => this.pin() } }, "Pin"),
      tabs: h("div", { class: "wbw-tabs", role: "tablist", "aria-label": "Questions" }, TABS.map(tab)),
      body: h("div", { class: "wbw-body", role: "tabpanel" }),
      reset: h("button", { on: { click: () => this.ask({ type: "reset" }) }, "aria-label": "Reset: back to the Trace as given" }, "Reset"),
    };
    const p = this.parts;
    const step = (text, by, label) => h("button", { "aria-label": label, on: { click: () => this.step(by) } }, text);
    const hint = h("span", { class: "wbo-grow wb-soft wb-line" }, h("kbd", null, "J"), " ", h("kbd", null, "K"), " candidate · ", h("kbd", null, "."), " opens more · ", h("kbd", null, "P"), " pins · ", h("kbd", null, "?"), " help");
    this.root = h("div", { class: "wbw" }, h("div", { class: "wbo-row" }, p.query, p.status), h("div", { class: "wbo-row wbw-who" }, step("◀", -1, "The one above"), p.pick, step("▶", 1, "The one below"), p.pin), p.tabs, p.body, h("div", { class: "wbo-row wbo-foot" }, hint, p.reset, h("button", { on: { click: () => this.table() } }, "Table"), h("button", { "aria-label": "Help: the keys", on: { click: () => this.help() } }, "?")), this.over.el, this.live.el);
    el.append(this.root);
    this.drag = coalesce((change) => this.preview(change), { failed: (error) => this.refused(error) });
    const tabbed = (by) => () => {
      if (!document.activeElement?.matches("[role=tab]")) return this.map?.move(0, by);
      const at = TABS.findIndex(([name]) => name === this.tab);
      this.show(TABS[Math.min(Math.max(at + by, 0), TABS.length - 1)][0]);
      p.tabs.querySelector("[aria-selected=true]").focus();
    };
    const rows = (by) => () => (this.tab === "map" && this.map?.focused() ? this.map.move(by, 0) : this.step(by));
    this.offs = [
      ctx.bus.on((now, changed) => this.heard(now, changed)),
      keys(this.root, {
        j: rows(1), ArrowDown: rows(1), k: rows(-1), ArrowUp: rows(-1), ArrowLeft: tabbed(-1), ArrowRight: tabbed(1),
        ".": () => this.open(this.level + 1), ",": () => this.open(this.level - 1), Enter: () => this.map?.focused() && this.map.choose(),
        p: () => this.pin(), t: () => this.table(), "?": () => this.help(), Escape: () => this.over.close(),
      }),
    ];
  }

  // ---- state in

  update(state, buffers) {
    this.newest = [state, buffers];
    if (this.state && this.python.open) return; // a newer question is under way: its answer is drawn
    [this.state, this.buffers] = [state, buffers];
    this.stamp++;
    this.given = inputs(state, buffers);
    this.fused = fuse(this.given);
    const wrong = difference(this.given, this.fused);
    if (wrong) throw new Error(`the browser and Python disagree: ${wrong}. What is shown may be wrong.`);
    this.change = { k: state.setting.k, weights: state.setting.weights && [...state.setting.weights] };
    this.known = new Map(Object.entries(state.candidate));
    [this.asked, this.pairs, this.records, this.winners] = [new Set(), new Map(), new Map(), null];
    const { parts } = this;
    say(parts.query, state.query);
    this.status("");
    parts.reset.disabled = !state.changed;
    fill(parts.pick, state.order.map(([id, title], i) => h("option", { value: id, text: `${nth(i + 1)} · ${title} (${id})` })));
    const { selected, pinned } = this.ctx.bus.now;
    this.id = this.known.has(selected) ? selected : state.first;
    this.pinned = this.known.has(pinned) ? pinned : null;
    this.draw();
  }

  failed() {
    if (!this.python.open) return;
    this.python.refused();
    this.update(...this.newest);
  }

  receive(message) {
    if (message.type === "answered" && this.python.answered(message)) {
      this.update(...this.newest);
      this.status("✓ confirmed by Python");
    }
    if (message.stamp !== this.stamp) return;
    if (message.type === "why") this.known.set(message.candidate.id, message.candidate);
    else if (message.type === "record") this.records.set(message.id, message.text);
    else if (message.type === "compare") this.pairs.set(`${message.pair.a}\n${message.pair.b}`, message.pair);
    else if (message.type === "why_not") this.answer = message.answer;
    else if (message.type === "map") this.winners = message.winners;
    else return;
    if (!this.python.open) this.draw(); // a slider that is being dragged is not taken away
  }

  /** Asks Python once for what is not here. */
  want(message) {
    const key = JSON.stringify(message);
    if (this.asked.has(key)) return;
    this.asked.add(key);
    this.ctx.send({ ...message, stamp: this.stamp });
  }

  heard({ selected, pinned }, changed) {
    if (!this.state) return;
    if ("selected" in changed && selected != null) this.id = selected;
    if ("pinned" in changed) this.pinned = pinned;
    if ("selected" in changed || "pinned" in changed) this.draw();
  }

  // ---- what is looked at

  select(id) {
    this.ctx.bus.set({ selected: id });
    if (this.id !== id) [this.id] = [id, this.draw()];
  }

  step(by) {
    const { order } = this.state;
    if (order.length === 0) return;
    const at = order.findIndex(([id]) => id === this.id);
    this.select(order[Math.min(Math.max(at + by, 0), order.length - 1)][0]);
    this.live.say(this.known.get(this.id)?.sentence ?? this.id);
  }

  pin() {
    const pinned = this.pinned === this.id ? null : this.id;
    this.ctx.bus.set({ pinned });
    this.live.say(pinned === null ? "unpinned" : "pinned");
  }

  show(tab) {
    this.tab = tab;
    this.draw();
  }

  open(level) {
    this.level = Math.min(Math.max(level, 0), LEVELS.length - 1);
    this.show("why");
  }

  draw() {
    const { parts, state } = this;
    this.root.classList.toggle("wb-still", !this.ctx.motion());
    parts.pick.value = this.id;
    if (parts.pick.value !== this.id && this.id !== null) {
      parts.pick.append(h("option", { value: this.id, text: `${this.known.get(this.id)?.title ?? ""} (${this.id})` }));
      parts.pick.value = this.id;
    }
    put(parts.pin, "aria-pressed", this.pinned !== null && this.pinned === this.id ? "true" : "false");
    say(parts.pin, this.pinned !== null && this.pinned === this.id ? "Pinned" : "Pin");
    for (const each of parts.tabs.children) {
      const on = each.dataset.tab === this.tab;
      put(each, "aria-selected", on ? "true" : "false");
      put(each, "tabindex", on ? "0" : "-1");
    }
    put(parts.body, "aria-label", TABS.find(([name]) => name === this.tab)[1]);
    if (this.tab !== "map") this.map = null;
    if (state.empty && this.tab !== "not") {
      this.shown = null;
      return fill(parts.body, h("p", { text: state.empty }));
    }
    const made = { why: () => this.whyPanel(), compare: () => this.comparePanel(), not: () => this.notPanel(), map: () => this.mapPanel() }[this.tab]();
    if (!made) return; // what is shown stays until the answer comes
    const focused = parts.body.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    fill(parts.body, made);
    this.shown = this.tab;
    if (focused) [...parts.body.querySelectorAll("[aria-label]")].find((each) => each.getAttribute("aria-label") === focused)?.focus({ preventScroll: true });
  }

  /** What stands where an answer is waited for: the last one of the same kind, or a word. */
  waiting(text = "…") {
    return this.shown === this.tab ? null : h("p", { class: "wb-soft" }, text);
  }

  lane(name) {
    return this.state.lanes.find((lane) => lane.name === name);
  }

  // ---- why

  whyPanel() {
    const one = this.known.get(this.id);
    if (!one) {
      this.want({ type: "why", id: this.id });
      return this.waiting();
    }
    const panels = [() => h("p", { class: "wbw-sentence", text: one.sentence }), () => this.bars(one), () => this.numbers(one), () => this.raw(one)];
    const twins = one.sameText.length > 0 && h("p", { class: "wb-soft", text: `The same text stands under ${one.sameText.join(", ")}.` });
    // a level shows its heading once the one before it is open
    const level = (make, i) => {
      if (i > this.level + 1) return null;
      const open = i <= this.level;
      const head = i > 0 && h("button", { class: "wbw-level", "aria-expanded": open ? "true" : "false", on: { click: () => this.open(open ? i - 1 : i) } }, `${open ? "▾" : "▸"} ${LEVELS[i]}`);
      return h("section", { "aria-label": LEVELS[i] }, head, open && make());
    };
    return h("div", null, panels.map(level), twins);
  }

  bars(one) {
    const { state } = this;
    const { setting } = state;
    const single = setting.arithmetic === "float32";
    const lanes = setting.lanes.map((name) => this.lane(name));
    const terms = one.terms.map(([rank, , term], i) => ({ head: [letter(lanes[i]), " ", h("span", { class: "wb-line", text: lanes[i].name })], value: term, look: paint(lanes[i]), note: rank === null ? "" : nth(rank), text: term === null ? "" : termSaid(setting, i, rank, term), absent: "not returned by this lane" }));
    const most = one.share === null ? "" : ` · ${share(one.share)} of the most possible`;
    const next = one.next === null ? "" : one.next.decided === "score" ? ` · next ${number(one.next.gap, 2)} behind` : ` · next: ${TIES[one.next.decided] ?? one.next.decided}`;
    const falls = [waterfall(`Fusion (${setting.method}): ${nth(one.fused)}`, terms, one.score, `${number(one.score)}${most}${next}`, single)];
    if (one.features.length) {
      const rows = one.features.map(([name, value, weight, gained]) => ({ head: [name], value: gained, text: `${number(weight)}·${number(value)} = ${number(gained)}` }));
      falls.push(waterfall(`${state.reranker} reranking`, rows, one.reranked, number(one.reranked), false));
    }
    if (one.pick) falls.push(waterfall("Diversity (MMR)", pickRows(one.pick), one.pick.score, number(one.pick.score), false));
    const details = one.details.map((detail) => this.detail(detail));
    return h("div", { class: "wbw-two" }, h("div", { class: "wbw-falls" }, falls), h("div", { class: "wbw-details" }, h("b", null, "What each lane saw"), details));
  }

  detail({ lane, score, said, bars, text }) {
    const look = this.lane(lane);
    const most = Math.max(0, ...bars.map(([, , gained]) => gained));
    const bar = ([term, df, gained]) => h("div", { class: "wbw-term" }, h("span", { class: "wb-line", text: df === null ? term : `${term} (in ${df})`, title: df === null ? term : `${term}: in ${df} passages` }), h("span", { class: "wbw-track" }, h("i", { style: { width: `${most > 0 ? (100 * gained) / most : 0}%`, background: look.hue } })), h("span", { text: number(gained) }));
    const total = score === null ? "no score" : number(score);
    return h("div", { class: "wbw-detail" }, h("div", null, letter(look), " ", h("b", { text: lane }), ` ${total}: ${said}`), bars.map(bar), text.length > 0 && h("div", { class: "wb-soft" }, text.map((piece, i) => (i % 2 ? h("mark", { text: piece }) : piece))));
  }

  numbers(one) {
    const { setting } = this.state;
    const terms = one.terms.map(([rank, raw, term], i) => [setting.lanes[i], this.lane(setting.lanes[i]).backend, rank === null ? "not returned" : String(rank), raw === null ? "–" : number(raw, 6), term === null ? "–" : termSaid(setting, i, rank, term)]);
    const path = one.path.map(([stage, rank, of, score]) => [stage, rank === null ? `not among the ${of}` : `${rank} of ${of}`, score === null ? "–" : number(score, 6)]);
    return h("div", { class: "wbw-two" }, box(grid(["lane", "backend", "rank", "raw score", "term"], terms, `Fused score ${number(one.score, 6)}, ${setting.arithmetic}, folded in this order`)), box(grid(["stage", "place", "score"], path, "Its way through the stages")));
  }

  raw(one) {
    const text = this.records.get(one.id);
    if (text === undefined) this.want({ type: "record", id: one.id });
    return h("pre", { class: "wbw-raw", tabindex: "0", text: text ?? "…" });
  }

  // ---- compare

  /** [A, B, how they came to be compared]: the pinned and the selected one, else neighbours. */
  two() {
    if (this.pinned !== null && this.pinned !== this.id) return [this.pinned, this.id, "A is pinned, B selected"];
    const { order } = this.state;
    const at = order.findIndex(([id]) => id === this.id);
    if (order.length < 2) return null;
    if (at < 0) return [order[0][0], this.id, "A is the first one, B selected; pin another A with P"];
    return at === 0 ? [this.id, order[1][0], "B is the one below; pin A with P, then select any B"] : [order[at - 1][0], this.id, "A is the one above; pin another A with P"];
  }

  comparePanel() {
    const two = this.two();
    if (!two) return h("p", null, "There is only one candidate: nothing to compare it with.");
    const [a, b, how] = two;
    const pair = this.pairs.get(`${a}\n${b}`);
    if (!pair) {
      this.want({ type: "compare", a, b });
      return this.waiting();
    }
    this.pair = pair;
    const signs = h("div", { class: "wbw-signs" });
    const { titles, features, reranked } = pair;
    this.settles = [];
    this.signs = signs;
    this.drawSigns();
    const after = features.length > 0 && [h("div", { class: "wbw-caption", text: `${this.state.reranker} reranking: A ${number(reranked[0])}, B ${number(reranked[1])}` }), signedRows(features.map(([name, value]) => ({ head: [name], value, text: "" })), reranked[0] - reranked[1], "A − B")];
    const name = (id, tag) => h("span", { class: "wbw-ab" }, h("b", { class: `wbw-tag wbw-${tag}` }, tag), h("span", { text: `${titles[id]} ` }), h("span", { class: "wb-soft", text: `${id}${pair.final[id] ? `, finally ${nth(pair.final[id])}` : ", behind the reranker's head"}` }));
    return h("div", null, h("div", { class: "wbw-pair" }, name(a, "A"), name(b, "B"), h("span", { class: "wb-soft", text: how })), h("p", { class: "wbw-deciding" }, h("b", { text: pair.deciding })), h("div", { class: "wbw-two" }, h("div", { class: "wbw-falls" }, signs, after), h("div", { class: "wbw-flips" }, this.flips(pair))), h("p", { class: "wb-soft wbw-told", tabindex: "0", role: "region", "aria-label": "In words", text: pair.sentence }));
  }

  /** The signed bars at the setting that the knobs show. */
  drawSigns() {
    const { pair, fused, state, change } = this;
    const setting = { ...state.setting, ...change };
    const width = setting.lanes.length;
    const places = pair.rows.map((row) => fused.order.indexOf(row));
    const rows = setting.lanes.map((name, lane) => {
      const [one, other] = places.map((place) => fused.contributions[place * width + lane]);
      const said = [one, other].map((term, i) => (Number.isNaN(term) ? "absent" : termSaid(setting, lane, this.given.ranks[lane][pair.rows[i]], term).split(" = ")[0]));
      const value = Number.isNaN(one) ? (Number.isNaN(other) ? 0 : -other) : Number.isNaN(other) ? one : one - other;
      return { head: [letter(this.lane(name)), " ", h("span", { class: "wb-line", text: name })], value, text: `${said[0]} − ${said[1]}` };
    });
    const [one, other] = places.map((place) => fused.scores[place]);
    const lead = one === other ? "they tie here" : one > other ? "A leads" : "B leads";
    fill(this.signs, h("div", { class: "wbw-caption", text: `Fusion: A ${number(one)} (${nth(places[0] + 1)}), B ${number(other)} (${nth(places[1] + 1)}): ${lead}` }), signedRows(rows, one - other, "A − B"));
  }

  /** For each knob the values at which the two swap, as buttons that set it there. */
  flips(pair) {
    const { state } = this;
    const row = ({ knob: name, ties }) => {
      const lane = name === "k" ? null : this.lane(name);
      const made = knob({ state, lane, now: () => this.change, drag: (change) => (this.python.touch(), this.drag(change)), done: (change) => this.confirm(change) });
      made.settle(this.change);
      this.settles.push(made.settle);
      const said = ties.length === 0 ? h("span", { class: "wb-soft" }, name === "k" ? "no k flips it" : "no weight flips it") : ties.map((tie) => this.turn(name, tie));
      return h("div", { class: "wbw-flip" }, h("span", { class: "wbw-name" }, lane ? [letter(lane), " ", h("span", { class: "wb-line", text: name })] : h("b", null, "k")), made.el, h("span", { class: "wbw-turns" }, said));
    };
    const { move, removals } = pair;
    const steps = move && Math.abs(move.to - move.from);
    const rank = move ? `“${move.title}” ${steps} ${steps === 1 ? "place" : "places"} ${move.to < move.from ? "up" : "down"} in ${move.lane} (${nth(move.from)} to ${nth(move.to)}) flips it.` : "No move of either in one lane flips it.";
    const out = removals.filter(([, , swaps]) => swaps).map(([lane]) => lane);
    const without = out.length ? `Leaving out ${out.join(", or ")} flips it.` : "Leaving out any one lane does not flip it.";
    return [h("div", { class: "wbw-caption" }, "What flips the fused order of the two"), pair.knobs.map(row), pair.notes.map((note) => h("div", { class: "wb-soft", text: note })), h("div", { class: "wbw-line" }, h("b", null, "Rank: "), rank), h("div", { class: "wbw-line" }, h("b", null, "Lane: "), without)];
  }

  /** Buttons to a tie, and to a value past it where the other one leads. */
  turn(name, { at, exact, swaps, sides, confirmed }) {
    const behind = this.pair.second;
    const past = sides.find(([value, first]) => value !== null && first === behind);
    const label = name === "k" ? "k" : `the weight of ${name}`;
    const go = (value, text, told) => h("button", { class: "wbw-go", title: told, "aria-label": `Set ${label}: ${told}`, on: { click: () => this.set(name, value) } }, text);
    const tie = go(at, `tie ${number(at)}`, `to ${exact ?? String(at)}, where the two tie`);
    if (!swaps || !past) return [tie, h("span", { class: "wb-soft" }, " they touch and part again")];
    const side = past[0] > at ? "above" : "below";
    const value = this.short(name, at, past[0]);
    return [tie, " ", go(value, `${side} it, ${number(value)}`, `to ${value}, ${side} the tie, where the other one leads`), !confirmed && h("span", { class: "wb-soft" }, " (rounding hides it)")];
  }

  /** The shortest number past a tie at which the twin has the other one lead, else the exact one. */
  short(name, tie, past) {
    const [first, second] = [this.pair.first, this.pair.second].map((id) => this.pair.rows[id === this.pair.a ? 0 : 1]);
    const leads = (value) => {
      const { order, scores } = fuse(this.given, this.changed(name, value));
      const [one, other] = [first, second].map((row) => order.indexOf(row));
      return other < one && scores[other] > scores[one];
    };
    const rounded = [2, 3, 4].map((digits) => Number(number(past, digits)));
    return rounded.find((value) => value > 0 && value > tie === past > tie && Math.abs(value - past) < Math.abs(tie - past) * 20 && leads(value)) ?? past;
  }

  changed(name, value) {
    const weights = this.change.weights && [...this.change.weights];
    if (name === "k") return { ...this.change, k: value };
    for (const lane of this.state.lanes) if (lane.column !== null && lane.weightOf === name) weights[lane.column] = value;
    return { ...this.change, weights };
  }

  set(name, value) {
    const change = this.changed(name, value);
    this.python.touch();
    this.preview(change);
    for (const settle of this.settles) settle(change);
    this.confirm(change);
  }

  preview(change) {
    this.fused = fuse(this.given, change);
    this.change = change;
    if (this.tab === "compare" && this.pair) this.drawSigns();
    for (const settle of this.settles ?? []) settle(change, true);
    this.status(`${named(this.state, change)}: worked out here`);
  }

  confirm(change) {
    // what Python is busy with may move the setting away from this one: then it is asked for, changed or not
    const changes = asked(this.state, change) ?? (this.python.busy ? all(this.state, change) : null);
    if (changes) return this.ask({ type: "set", changes });
    this.python.refused();
    this.update(...this.newest);
  }

  ask(message) {
    this.status("asking Python …");
    this.python.ask(message);
  }

  refused(error) {
    this.python.refused();
    this.update(...this.newest);
    this.root.dispatchEvent(new CustomEvent("wb-error", { detail: error.message, bubbles: true }));
  }

  status(text) {
    say(this.parts.status, text);
  }

  // ---- why not

  notPanel() {
    const { state, answer } = this;
    const old = this.parts.body.querySelector(".wbw-ask");
    const list = h("datalist", { id: (this.list ??= `wbw-${Math.random().toString(36).slice(2)}`) }, state.order.map(([id]) => h("option", { value: id })));
    const field = h("input", { class: "wbw-ask wbo-grow", type: "text", list: this.list, value: old?.value ?? "", placeholder: "document or passage id", "aria-label": "Why is this one not among the evidence? Document or passage id" });
    const go = (id) => {
      field.value = id;
      if (id.trim()) this.ctx.send({ type: "why_not", id: id.trim(), stamp: this.stamp });
    };
    listen(field, "keydown", (event) => event.key === "Enter" && go(field.value));
    const form = h("div", { class: "wbo-row wbw-askrow" }, h("span", null, "Why not"), field, h("button", { on: { click: () => go(field.value) } }, "Ask"), list);
    if (!answer) return h("div", null, form, h("p", { class: "wb-soft" }, "Any document or passage id: the answer says which stage lost it, by how much, and what would bring it in."));
    const lanes = answer.lanes.map(([lane, said, rank, depth, score, last, note]) => [lane, said, rank === null ? "–" : String(rank), depth === null ? "–" : String(depth), score === null ? "–" : number(score), last === null ? "–" : number(last), note]);
    const change = ({ said, settings }) => h("li", null, `${said} `, settings && h("button", { on: { click: () => this.ask({ type: "set", changes: settings }) } }, "Try it"));
    return h("div", null, form, h("p", { class: "wbw-sentence" }, h("b", { text: `${answer.reason}. ` }), answer.sentence), answer.near.length > 0 && h("p", null, "Near: ", answer.near.map((id) => [h("button", { on: { click: () => go(id) }, text: id }), " "])), answer.changes.length > 0 && h("ul", null, answer.changes.map(change)), lanes.length > 0 && box(grid(["lane", "state", "rank", "depth", "score", "last one in", ""], lanes, "Asked past the recorded depth")), answer.id && h("button", { on: { click: () => (this.select(answer.id), this.show("why")) } }, "Why it stands where it does"));
  }

  // ---- winner map

  mapPanel() {
    if (!this.winners) {
      this.want({ type: "map", lane: this.mapLane ?? null });
      return this.waiting("Running the kernel at each k × weight …");
    }
    const turn = (lane) => {
      this.mapLane = lane;
      this.winners = null;
      this.asked.delete(JSON.stringify({ type: "map", lane }));
      this.draw();
    };
    const choose = (k, weight) => {
      const changes = asked(this.state, { ...this.changed(this.winners.map.lane, weight), k });
      if (changes) this.ask({ type: "set", changes });
    };
    this.map = mapPanel(this.winners, { turn, choose, live: this.live });
    return this.map.el;
  }

  // ---- table twin and keys

  table() {
    const { pair } = this;
    if (this.tab === "map" && this.winners?.map) return this.over.toggle("table", "Winners", () => this.map.table());
    if (this.tab !== "compare" || !pair) return this.open(2);
    this.over.toggle("table", "A and B, lane by lane", () => {
      const { setting } = this.state;
      const width = setting.lanes.length;
      const places = pair.rows.map((row) => this.fused.order.indexOf(row));
      const line = (name, lane) => {
        const cells = places.map((place, i) => (Number.isNaN(this.fused.contributions[place * width + lane]) ? "not returned" : termSaid({ ...setting, ...this.change }, lane, this.given.ranks[lane][pair.rows[i]], this.fused.contributions[place * width + lane])));
        return [name, ...cells];
      };
      const scores = ["score", ...places.map((place) => number(this.fused.scores[place], 6))];
      return grid(["lane", `A: ${pair.titles[pair.a]}`, `B: ${pair.titles[pair.b]}`], [...setting.lanes.map(line), scores]);
    });
  }

  help() {
    this.over.toggle("help", "Keys, while the focus is in the view", () => keyTable(HELP));
  }

  destroy() {
    this.python.close();
    for (const off of this.offs) off();
    this.root.remove();
  }
}

/** A change said in full. */
const all = ({ lanes }, { k, weights }) => ({ ...(k != null && { k }), ...(weights && { weights: Object.fromEntries(lanes.filter((lane) => lane.column !== null && lane.weightOf === lane.name).map((lane) => [lane.name, weights[lane.column]])) }) });

const box = (table) => h("div", { class: "wb-tablebox", tabindex: "0", role: "region", "aria-label": table.caption?.textContent ?? "Table" }, table);

function pickRows({ lambda, relevance, redundancy, against }) {
  const gain = { head: ["relevance"], value: lambda * relevance, text: `${number(lambda)}·${number(relevance)} = ${number(lambda * relevance)}` };
  if (redundancy === null) return [gain, { head: ["redundancy"], value: null, text: "", absent: "none yet: the first pick" }];
  const loss = redundancy * (1 - lambda);
  return [gain, { head: ["redundancy"], value: -loss, text: `−${number(1 - lambda)}·${number(redundancy)} = ${number(-loss)}`, note: `like ${against}` }];
}

/** Bars that each begin where the one before ended; the left fold of the values is the total, to the last bit. */
function waterfall(title, rows, total, said, single) {
  const narrow = single ? Math.fround : Number;
  let at = 0;
  const spans = rows.map(({ value }) => {
    const from = at;
    if (value !== null) at = narrow(at + value);
    return [from, at];
  });
  const all = [...rows];
  if (!Object.is(at, total)) {
    spans.push([at, total]);
    all.push({ head: ["rest"], value: total - at, text: number(total - at), note: "what the recorded terms leave over" });
  }
  const most = Math.max(total, ...spans.flat());
  const least = Math.min(0, ...spans.flat());
  const line = ({ head, value, look, note, text, absent }, i) => {
    const bar = value === null ? h("span", { class: "wb-hatch wbw-absent" }, h("span", { text: absent })) : piece(spans[i], least, most, { background: look ?? (value < 0 ? "var(--wb-warn)" : "var(--wb-accent)") }, value);
    return h("div", { class: "wbw-fall" }, h("span", { class: "wbw-name" }, head, note && h("span", { class: "wb-soft wb-line wbw-note", text: note, title: note })), h("span", { class: "wbw-track" }, bar), h("span", { class: "wbw-value", text }));
  };
  return h("div", { class: "wbw-waterfall", data: { total: String(total) } }, h("div", { class: "wbw-caption", text: title }), all.map(line), h("div", { class: "wbw-fall wbw-total" }, h("b", { class: "wbw-name" }, "="), h("span", { class: "wbw-track" }, piece([0, total], least, most, { background: "var(--wb-ink)" }, total)), h("span", { class: "wbw-value" })), h("div", { class: "wbw-sum", text: `= ${said}` }));
}

function piece([from, to], least, most, style, value) {
  const span = most - least || 1;
  const at = (each) => (100 * (each - least)) / span;
  return h("i", { style: { left: `${at(Math.min(from, to))}%`, width: `${at(Math.max(from, to)) - at(Math.min(from, to))}%`, ...style }, data: { value: String(value) } });
}

/** Bars to the right where A gains, to the left where B does. */
function signedRows(rows, total, label) {
  let folded = 0;
  for (const { value } of rows) folded += value;
  const rest = total - folded;
  const all = Object.is(folded, total) || rest === 0 ? rows : [...rows, { head: ["rounding"], value: rest, text: "" }];
  const most = Math.max(Math.abs(total), ...all.map(({ value }) => Math.abs(value))) || 1;
  const line = ({ head, value, text }, i) => {
    const name = value > 0 ? "wbw-gain" : "wbw-loss";
    const who = value > 0 ? "▲ A" : value < 0 ? "▼ B" : "";
    const bar = h("i", { class: name, style: { left: `${value < 0 ? 50 + (50 * value) / most : 50}%`, width: `${(50 * Math.abs(value)) / most}%` }, data: { value: String(value) } });
    return h("div", { class: `wbw-fall${i === all.length ? " wbw-total" : ""}` }, h("span", { class: "wbw-name" }, head), h("span", { class: "wbw-track wbw-zero" }, bar), h("span", { class: "wbw-value" }, h("b", { text: value === 0 ? "0" : `${signed(value, 3)} ${who}` }), " ", h("span", { class: "wb-soft", text })));
  };
  return [...all, { head: [h("b", { text: label })], value: total, text: "" }].map(line);
}

export default view(mount);
