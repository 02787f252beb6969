// The app: a query box, the settings, and every view in a tab of its own over one Trace and one selection.
import { coalesce, complain, fill, h, keys, letter, listen, liveRegion, number, put, roving, say, view } from "./common.js";
import { asking } from "./asking.js";
import { asked, knob, named } from "./knobs.js";
import { keyTable, overlay, knob as slider } from "./panel.js";

const HELP = [
  ["[ / ]", "the saved query before, the one after"],
  ["← / →", "the tabs, while the focus is on them"],
  ["S", "freeze the present state as a scenario"],
  ["E", "what is shown, as Python"],
  ["Esc", "close"],
  ["?", "this help; inside a tab, the keys of its view"],
];
const OFFERED = 0.7; // λ when diversity is turned on

class App {
  constructor(el, ctx) {
    this.ctx = ctx;
    [this.panels, this.pending, this.live, this.over] = [new Map(), {}, liveRegion(), overlay()];
    this.python = asking((message) => ctx.send(message), () => this.status("no Python answers", "bad"));
    const button = (text, label, act, name) => h("button", { class: name, "aria-label": label, on: { click: act } }, text);
    this.parts = {
      query: h("input", { type: "text", class: "wba-query", "aria-label": "Query", spellcheck: "false", autocomplete: "off" }),
      ask: h("button", { type: "submit", class: "wba-ask" }, "Ask"),
      saved: h("select", { class: "wba-saved", "aria-label": "Saved queries", on: { change: () => this.choose(this.parts.saved.selectedIndex - 1) } }),
      verdict: h("span", { class: "wba-verdict" }),
      fusion: h("select", { "aria-label": "Fusion", on: { change: () => this.setFusion() } }),
      k: h("span", { class: "wba-k" }),
      weights: h("button", { "aria-expanded": "false", on: { click: () => this.weights() } }, "Weights"),
      lanes: h("div", { class: "wba-row wba-weights wb-hidden", role: "group", "aria-label": "Weights of the lanes" }),
      mmr: h("input", { type: "checkbox", "aria-label": "Diversity (MMR)", on: { change: () => this.set({ lambda_mmr: this.parts.mmr.checked ? OFFERED : null }) } }),
      topK: h("input", { type: "number", min: 1, step: 1, class: "wb-number", "aria-label": "Top k: how many are kept", on: { change: () => this.setTop() } }),
      gate: h("select", { "aria-label": "Gate preset", on: { change: () => this.set({ gate: this.parts.gate.value }) } }),
      reset: button("Reset", "Reset: every setting as asked", () => this.ask({ type: "reset" })),
      tabs: h("div", { class: "wba-tabs", role: "tablist", "aria-label": "Views" }),
      status: h("span", { class: "wba-status", role: "status" }),
      compare: h("select", { "aria-label": "Compare with", on: { change: () => this.compare() } }),
      body: h("div", { class: "wba-body" }),
      side: h("aside", { class: "wba-side wb-hidden", tabindex: "0", "aria-label": "Compared with another run" }),
    };
    const p = this.parts;
    this.lambda = slider({ label: "λ, relevance against diversity", min: 0, max: 1, step: 0.01, high: 1, drag: (value) => this.dragLambda(value), done: (value) => this.doneLambda(value) });
    const form = h("form", { class: "wba-row wba-form" }, button("‹", "The saved query before", () => this.move(-1)), p.query, button("›", "The saved query after", () => this.move(1)), p.ask, p.saved, p.verdict);
    listen(form, "submit", (event) => (event.preventDefault(), this.put(p.query.value)));
    const label = (text, ...inner) => h("label", { class: "wba-label" }, text && h("span", { class: "wb-soft", text }), inner);
    const settings = h("div", { class: "wba-row wba-settings", role: "group", "aria-label": "Settings" }, label("fusion", p.fusion), p.k, p.weights, h("span", { class: "wba-label" }, label(null, p.mmr, "MMR λ"), this.lambda.range, this.lambda.field), label("top", p.topK), label("gate", p.gate), p.reset);
    const tools = h("span", { class: "wba-tools" }, p.status, label(null, p.compare), button("Scenario +", "Scenario: freeze the present state", () => this.keep()), button("Copy as Python", "Copy as Python", () => this.code()), button("?", "Help: the keys of the app", () => this.help()));
    const strip = h("div", { class: "wba-row wba-strip" }, p.tabs, tools);
    this.root = h("div", { class: "wba" }, form, settings, p.lanes, strip, h("div", { class: "wba-main" }, p.body, p.side), this.over.el, this.live.el);
    el.append(this.root);
    this.list = roving(() => [...p.tabs.children]);
    this.drag = coalesce((change) => this.preview(change), { failed: (error) => complain(this.root, error) });
    const tabbed = (by) => () => document.activeElement?.matches(".wba-tabs > [role=tab]") && this.step(by);
    this.offs = [
      keys(this.root, {
        "[": () => this.move(-1), "]": () => this.move(1), s: () => this.keep(), e: () => this.code(), "?": () => this.help(),
        ArrowLeft: tabbed(-1), ArrowRight: tabbed(1), Escape: () => this.over.close(),
      }),
    ];
    const { model } = ctx;
    const on = (name, act) => {
      model.on(name, act);
      this.offs.push(() => model.off(name, act));
    };
    on("change:tab", () => this.show());
    for (const [name] of ctx.state.tabs) on(`change:_panel_${name}`, () => this.taken(name));
  }

  // ---- state in

  update(state) {
    this.state = state;
    const p = this.parts;
    if (document.activeElement !== p.query || !this.typing) p.query.value = state.query;
    this.typing = false;
    for (const [el, off] of [[p.query, !state.canAsk], [p.ask, !state.canAsk], [p.saved, !state.canAsk]]) el.disabled = off;
    if (!this.python.open) this.pending = {};
    // what was set since Python last answered stays as it was set
    const now = { lambda_mmr: state.lambda, top_k: state.topK, gate: state.gate, ...this.pending };
    this.menus(state, now.gate);
    say(p.verdict, state.verdict.replaceAll("_", " ") + (state.override ? ", by override" : ""));
    put(p.verdict, "data-verdict", state.verdict);
    const held = "k" in this.pending || "weights" in this.pending;
    if (!held || !this.change) this.change = { k: state.setting.k, weights: state.setting.weights && [...state.setting.weights] };
    this.knobs(state);
    p.mmr.checked = now.lambda_mmr !== null;
    this.lambda.set(now.lambda_mmr ?? OFFERED);
    this.lambda.range.disabled = this.lambda.field.disabled = now.lambda_mmr === null;
    p.topK.value = String(now.top_k);
    p.reset.disabled = !state.changed;
    this.tabs(state);
    this.ghost(state.ghost);
  }

  menus(state, gate) {
    const p = this.parts;
    const shape = JSON.stringify([state.saved, state.fusions, state.scenarios, state.gate, state.ghost?.name]);
    if (shape !== this.shape) {
      this.shape = shape;
      const groups = [...new Set(state.saved.map(({ group }) => group))];
      const option = ({ query }) => h("option", { value: query, text: query });
      const under = (group) => state.saved.filter((each) => each.group === group).map(option);
      const count = `Saved queries (${state.saved.length})`;
      this.order = groups.flatMap((group) => state.saved.filter((each) => each.group === group));
      fill(p.saved, h("option", { value: "", text: count }), groups.map((group) => (group ? h("optgroup", { label: group }, under(group)) : under(group))));
      fill(p.fusion, state.fusions.map(([value, text, title]) => h("option", { value, text, title })));
      const presets = state.presets.includes(state.gate) ? state.presets : [state.gate, ...state.presets];
      fill(p.gate, presets.map((value) => h("option", { value, text: value, disabled: value === "by hand" })));
      const names = ["as asked", ...state.scenarios];
      const before = state.ghost && !names.includes(state.ghost.name) && h("option", { value: state.ghost.name, disabled: true, text: `before: ${state.ghost.name}` });
      fill(p.compare, h("option", { value: "" }, "compare with …"), names.map((value) => h("option", { value, text: value })), before);
    }
    p.saved.selectedIndex = this.order.findIndex(({ query }) => query === state.query) + 1;
    p.fusion.value = state.fusion;
    put(p.fusion, "title", state.fusions.find(([value]) => value === state.fusion)?.[2]);
    p.gate.value = gate;
    const at = [...p.compare.options].findIndex(({ value }) => value === (state.ghost?.name ?? ""));
    p.compare.selectedIndex = at < 0 ? 0 : at;
  }

  /** k in the row, the weights in their own box; made anew only where the fusion is another. */
  knobs(state) {
    const shape = JSON.stringify([state.setting.method, state.setting.dialect, state.lanes.map((lane) => [lane.name, lane.column])]);
    if (shape !== this.knobbed) {
      this.knobbed = shape;
      const make = (lane) => knob({ state, lane, now: () => this.change, drag: (change) => this.drag(change), done: (change) => this.done(change) });
      this.k = make(null);
      fill(this.parts.k, this.k.el);
      this.lanes = state.lanes.map((lane) => ({ lane, made: make(lane) }));
      const moved = this.lanes.filter(({ made }) => made.el.childElementCount > 0);
      fill(this.parts.lanes, moved.map(({ lane, made }) => h("span", null, letter(lane), h("span", { class: "wba-lane wb-line", title: lane.name, text: lane.name }), made.el)));
    }
    this.parts.weights.disabled = this.parts.lanes.childElementCount === 0;
    this.settle();
  }

  settle(dragging = false) {
    for (const each of [this.k, ...this.lanes.map(({ made }) => made)]) each.settle(this.change, dragging);
  }

  // ---- tabs

  tabs({ tabs }) {
    const p = this.parts;
    if (p.tabs.childElementCount === 0) {
      const tab = ([name, text]) => h("button", { role: "tab", id: `${this.id}-${name}`, tabindex: "-1", data: { tab: name }, on: { click: () => this.open(name) } }, text);
      this.id = `wba${Math.random().toString(36).slice(2, 10)}`;
      fill(p.tabs, tabs.map(tab));
      for (const each of p.tabs.children) each.id = `${this.id}-${each.dataset.tab}`;
    }
    this.show();
  }

  get tab() {
    return this.ctx.model.get("tab");
  }

  open(name) {
    if (name === this.tab) return;
    this.ctx.model.set("tab", name); // shown at once; Python draws it and says so to every page
    this.ctx.send({ type: "open", tab: name });
  }

  step(by) {
    const names = this.state.tabs.map(([name]) => name);
    this.open(names[Math.min(Math.max(names.indexOf(this.tab) + by, 0), names.length - 1)]);
    this.list.move(this.parts.tabs.querySelector("[aria-selected=true]"));
  }

  /** Shows the open tab and hides the others. */
  show() {
    if (!this.state) return;
    const open = this.tab;
    put(this.root, "data-tab", open);
    for (const each of this.parts.tabs.children) {
      put(each, "aria-selected", each.dataset.tab === open ? "true" : "false");
      put(each, "tabindex", each.dataset.tab === open ? "0" : "-1");
    }
    for (const [name, panel] of this.panels) panel.el.hidden = name !== open;
    this.taken(open);
  }

  /** A tab's state has come, or the tab was opened: it is drawn when both are so. */
  async taken(name) {
    if (name !== this.tab) return;
    if (!this.panels.has(name)) this.panels.set(name, this.panel(name));
    const panel = this.panels.get(name);
    const told = this.ctx.model.get(`_panel_${name}`);
    if (told?.stamp === undefined || told.stamp === panel.stamp) return;
    panel.stamp = told.stamp;
    const held = panel.el.contains(document.activeElement);
    try {
      if (panel.mounted) panel.mounted.update(told.state, told.buffers);
      else await this.mount(name, panel);
    } catch (error) {
      complain(panel.el, error);
    }
    // what had the focus may be gone with the run before: the keys stay in the app
    if (held && !panel.el.contains(document.activeElement)) this.list.move(this.parts.tabs.querySelector("[aria-selected=true]"));
  }

  panel(name) {
    const el = h("div", { class: "wba-panel", role: "tabpanel", "aria-labelledby": `${this.id}-${name}`, data: { tab: name } }, h("p", { class: "wb-soft" }, "…"));
    this.parts.body.append(el);
    return { el, stamp: null, mounted: null };
  }

  async mount(name, panel) {
    const { load, model } = this.ctx;
    panel.loading ??= Promise.all([load(`${name}.js`), load(`${name}.css`)]);
    const [made, sheet] = await panel.loading;
    if (panel.mounted || this.gone) return;
    const { state, buffers, stamp } = model.get(`_panel_${name}`);
    if (stamp === undefined) return;
    panel.stamp = stamp;
    const inner = h("div");
    fill(panel.el, h("style", null, document.createTextNode(sheet)), inner);
    const send = (message) => this.ctx.send({ type: "panel", tab: name, message });
    panel.mounted = made.mount(inner, { state, buffers, bus: this.ctx.bus, send, motion: this.ctx.motion });
  }

  get mounted() {
    return this.panels.get(this.tab)?.mounted;
  }

  // ---- messages

  receive(message, buffers) {
    if (message.type === "panel") return this.panels.get(message.tab)?.mounted?.receive?.(message.message, buffers);
    if (message.type === "python") return this.showCode(message.text);
    if (message.type === "answered" && this.python.answered(message)) {
      this.pending = {};
      this.update(this.state);
      this.status("✓ confirmed by Python", "good");
    }
  }

  /** Python refused: the controls go back to what stands. */
  failed() {
    this.mounted?.failed?.();
    if (!this.python.open) return;
    this.python.refused();
    if (this.python.open) return;
    this.pending = {};
    this.status("");
    const query = this.parts.query.value;
    this.update(this.state);
    if (this.refusedQuery !== undefined) this.parts.query.value = query; // what was typed can be mended
    this.refusedQuery = undefined;
    this.again();
  }

  /** Draws the open tab once more, from the last good state. */
  again() {
    const told = this.ctx.model.get(`_panel_${this.tab}`);
    if (told?.stamp !== undefined) this.mounted?.update(told.state, told.buffers);
  }

  ask(message) {
    this.status("asking Python …");
    this.python.ask(message);
  }

  status(text, kind = "") {
    say(this.parts.status, text);
    put(this.parts.status, "data-kind", kind || null);
  }

  // ---- queries

  put(query) {
    if (!this.state.canAsk) return;
    this.refusedQuery = query;
    this.typing = false;
    this.ask({ type: "ask", query });
  }

  choose(place) {
    const query = this.order[place]?.query;
    if (query === undefined) return;
    this.parts.query.value = query;
    this.put(query);
  }

  move(by) {
    const at = this.order.findIndex(({ query }) => query === this.state.query);
    const to = at < 0 ? 0 : at + by;
    if (to < 0 || to >= this.order.length) return this.live.say(by < 0 ? "the first saved query" : "the last saved query");
    this.choose(to);
    this.live.say(this.order[to].query);
  }

  // ---- settings

  preview(change) {
    this.change = change;
    this.settle(true);
    if (this.mounted?.preview && ["board", "fusion_player", "why"].includes(this.tab)) this.mounted.preview(change);
    this.status(`${named(this.state, change)}: worked out here`);
  }

  done(change) {
    const changes = asked(this.state, change);
    if (changes) return this.set(changes);
    if (this.python.busy) return this.set(whole(this.state, change));
    this.change = change;
    this.settle();
    this.status("");
    this.again();
  }

  set(changes) {
    this.pending = { ...this.pending, ...changes };
    this.ask({ type: "set", changes: this.pending });
  }

  setFusion() {
    this.pending = {}; // k and weights start anew with another fusion
    this.ask({ type: "fusion", value: this.parts.fusion.value });
  }

  setTop() {
    const { value } = this.parts.topK;
    if (value === "") this.parts.topK.value = String(this.state.topK);
    else this.set({ top_k: Number(value) });
  }

  /** λ runs through the redundancy view's own twin where that is open. */
  dragLambda(value) {
    this.lambda.set(value, true);
    if (this.tab === "redundancy" && this.state.lambda !== null) this.mounted?.drag(value);
    else this.status(`λ ${number(value)}: let go to ask Python`);
  }

  doneLambda(value) {
    this.lambda.set(value);
    if (this.tab === "redundancy" && this.state.lambda !== null && this.mounted) this.mounted.confirm(value);
    else this.set({ lambda_mmr: value });
  }

  weights() {
    const { lanes, weights } = this.parts;
    put(weights, "aria-expanded", lanes.classList.toggle("wb-hidden") ? "false" : "true");
  }

  // ---- scenarios, Python, help

  keep() {
    const name = h("input", { type: "text", class: "wba-name", "aria-label": "Name of the scenario", value: this.state.said });
    const form = h("form", { class: "wba-row" }, h("span", null, "Freeze this state as"), name, h("button", { type: "submit" }, "Keep"));
    listen(form, "submit", (event) => {
      event.preventDefault();
      this.over.close();
      this.ctx.send({ type: "keep", name: name.value });
      this.live.say(`kept as ${name.value}`);
    });
    this.over.toggle("keep", "Scenario", () => [form, h("p", { class: "wb-soft" }, "Its ranks then stand as ghosts beside those of every later state.")]);
    if (name.isConnected) name.select();
  }

  compare() {
    const { value } = this.parts.compare;
    this.ctx.send({ type: "compare", name: value === "" ? null : value });
  }

  /** Where the candidates stood in the run that is compared. */
  ghost(ghost) {
    const { side } = this.parts;
    side.classList.toggle("wb-hidden", !ghost);
    this.root.classList.toggle("wba-compared", Boolean(ghost));
    if (!ghost) return fill(side);
    const close = h("button", { "aria-label": "End the comparison", on: { click: () => this.ctx.send({ type: "compare", name: null }) } }, "✕");
    const rows = ghost.rows.map((row) => {
      const el = h("li", { class: "wba-ghost", data: { id: row.id }, title: `${row.title} (${row.id})` }, h("div", { class: "wb-line" }, h("b", { text: `${row.final} ` }), row.title), h("div", { class: "wba-places" }, place("fused", row.fused, row.fusedWas), place("final", row.final, row.finalWas)));
      listen(el, "mouseenter", () => this.ctx.bus.set({ hovered: row.id }));
      listen(el, "mouseleave", () => this.ctx.bus.set({ hovered: null }));
      listen(el, "click", () => this.ctx.bus.set({ selected: row.id }));
      return el;
    });
    const gone = ghost.gone.map(([id, title]) => h("li", { class: "wba-ghost wba-gone", title: `${title} (${id})` }, h("div", { class: "wb-line", text: title }), "no longer among the first"));
    fill(side, h("div", { class: "wba-row" }, h("b", { class: "wb-line wba-grow", text: `against ${ghost.name}` }), close), h("p", { class: "wba-told", text: ghost.sentence }), h("ol", null, rows, gone));
  }

  code() {
    this.ctx.send({ type: "python" });
  }

  showCode(text) {
    const area = h("textarea", { class: "wba-code", readonly: true, "aria-label": "Python", rows: 9, spellcheck: "false" });
    area.value = text;
    const told = h("span", { class: "wb-soft", role: "status" });
    const copy = async () => {
      area.select();
      try {
        await navigator.clipboard.writeText(text);
        say(told, "✓ copied");
      } catch {
        say(told, "selected: copy it with your keys");
      }
    };
    this.over.close();
    this.over.toggle("python", "What is shown, as Python", () => [area, h("div", { class: "wba-row" }, h("button", { on: { click: copy } }, "Copy"), told)]);
    return copy();
  }

  help() {
    this.over.toggle("help", "Keys, while the focus is in the app", () => keyTable(HELP));
  }

  destroy() {
    this.gone = true;
    this.python.close();
    for (const off of this.offs) off();
    for (const { mounted } of this.panels.values()) mounted?.destroy();
    this.root.remove();
  }
}

/** All that a change says, whether or not it differs from the setting: for while Python moves the setting away. */
function whole(state, change) {
  const setting = { ...state.setting, k: NaN, weights: change.weights?.map(() => NaN) };
  return asked({ ...state, setting }, change);
}

/** `fused 1st ▲2, was 3rd` */
function place(kind, now, was) {
  const moved = now !== null && was !== null ? was - now : 0;
  const arrow = moved > 0 ? `▲${moved}` : moved < 0 ? `▼${-moved}` : "=";
  const before = was === null ? "not before" : moved === 0 ? "" : `was ${was}`;
  return h("span", { class: moved ? "wba-moved" : "" }, `${kind} ${now ?? "–"} ${was === null ? "" : arrow} `, h("span", { class: "wba-was", text: before }));
}

/** What anywidget asks for, given what loads the parts. */
export function app(load) {
  const mount = (el, ctx) => {
    const made = new App(el, ctx);
    made.update(ctx.state);
    return made;
  };
  return { render: ({ model, el }) => view((body, ctx) => mount(body, { ...ctx, model, load })).render({ model, el }) };
}

export default app;
