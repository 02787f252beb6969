// Predict-first: cards to put in order by pointer or keys; then the order that was, and what the guess overlooked.
import { fill, h, keys, letter, listen, liveRegion, nth, number, paint, put, say, share, view } from "./common.js";
import { keyTable, overlay } from "./panel.js";

const PITCH = 76; // px from one card to the next
const GUTTER = 40;
const HELP = [
  ["J / K, ↓ / ↑", "next and previous card; a card that is picked up moves"],
  ["Enter, Space", "pick the card up, and put it down"],
  ["Esc", "put it back where it was"],
  ["▲ ▼, or drag", "the same with the pointer"],
  ["R", "reveal the order"],
];

export function mount(el, ctx) {
  const made = new Predict(el, ctx);
  made.update(ctx.state);
  return made;
}

class Predict {
  constructor(el, ctx) {
    this.ctx = ctx;
    this.live = liveRegion();
    this.over = overlay();
    this.parts = {
      query: h("b", { class: "wbo-grow wbo-query" }),
      asked: h("p", { class: "wbq-asked" }),
      mine: h("div", { class: "wbq-list", role: "list", "aria-label": "Your order, best first" }),
      joins: h("svg", { class: "wbq-joins", width: GUTTER, "aria-hidden": "true" }),
      truth: h("div", { class: "wbq-list" }),
      head: h("b"),
      said: h("div", { class: "wbq-said" }),
      reveal: h("button", { class: "wbq-reveal", on: { click: () => this.reveal() } }, "Reveal"),
    };
    const p = this.parts;
    const help = () => this.over.toggle("help", "Keys, while the focus is in the view", () => keyTable(HELP));
    const column = (head, list) => h("div", { class: "wbq-col" }, head, list);
    this.hint = h("span", { class: "wbo-grow wb-soft wb-line" }, "Drag the cards, or ", h("kbd", null, "Enter"), " picks one up and ", h("kbd", null, "J"), " ", h("kbd", null, "K"), " move it");
    this.root = h("div", { class: "wbq" }, h("div", { class: "wbo-row" }, p.query), p.asked, h("div", { class: "wbq-cols" }, column(h("b", null, "your order"), p.mine), p.joins, column(p.head, p.truth)), p.said, h("div", { class: "wbo-row wbo-foot" }, this.hint, p.reveal, h("button", { "aria-label": "Help: the keys", on: { click: help } }, "?")), this.over.el, this.live.el);
    el.append(this.root);
    this.offs = [
      keys(this.root, {
        j: () => this.step(1), ArrowDown: () => this.step(1), k: () => this.step(-1), ArrowUp: () => this.step(-1),
        Enter: () => this.lift(), " ": () => this.lift(), r: () => this.reveal(), "?": help,
        Escape: () => this.over.close() || this.putBack(),
      }),
      ctx.bus.on(() => this.marks()),
    ];
  }

  update(state) {
    const before = this.state;
    this.state = state;
    const { parts } = this;
    say(parts.query, state.query);
    say(parts.asked, state.question);
    const same = before && JSON.stringify([before.query, before.ids]) === JSON.stringify([state.query, state.ids]);
    if (!same) {
      this.order = state.ids.map((_, place) => place);
      this.at = this.order[0];
      this.lifted = null;
    }
    if (state.revealed) this.order = [...state.revealed.guess];
    this.cards = state.ids.map((id, card) => this.card(card));
    fill(parts.mine, this.cards.map((card) => card.el));
    for (const list of [parts.mine, parts.truth]) list.style.height = `${state.ids.length * PITCH}px`;
    put(parts.joins, "height", state.ids.length * PITCH);
    this.draw();
    this.answer();
  }

  get open() {
    return !this.state.revealed;
  }

  card(card) {
    const { ids, titles, texts, ranks, lanes, of } = this.state;
    const chip = (rank, i) => {
      const text = rank === null ? "absent" : nth(rank);
      const name = of === "fusion" ? lanes[i].name : "fusion";
      const said = rank === null ? `not returned by ${name}` : `${text} in ${name}`;
      return h("span", { class: `wbq-chip${rank === null ? " wb-hatch" : ""}`, title: said }, of === "fusion" ? letter(lanes[i]) : "fused ", h("span", { text }));
    };
    const made = { place: h("b", { class: "wbq-place" }), told: h("span", { class: "wbq-told" }) };
    const nudge = (text, by, label) => h("button", { class: "wbq-nudge", tabindex: "-1", "aria-label": `${label}: ${titles[card]}`, on: { click: () => this.shift(card, by) } }, text);
    const moves = this.open && h("span", { class: "wbq-moves" }, nudge("▲", -1, "Up"), nudge("▼", 1, "Down"));
    made.el = h("div", { class: "wbq-card", role: "listitem", tabindex: "-1", data: { id: ids[card] }, title: `${titles[card]} (${ids[card]})` }, h("div", { class: "wbo-row" }, made.place, h("span", { class: "wb-line wbo-grow", text: titles[card] }), made.told, moves), h("div", { class: "wb-line wb-soft wbq-text", text: texts[card] }), h("div", { class: "wbq-chips" }, ranks[card].map(chip)));
    listen(made.el, "focus", () => this.focus(card));
    listen(made.el, "mouseenter", () => !this.open && this.ctx.bus.set({ hovered: ids[card] }));
    listen(made.el, "mouseleave", () => !this.open && this.ctx.bus.set({ hovered: null }));
    listen(made.el, "pointerdown", (event) => this.grab(event, card));
    if (!this.open) listen(made.el, "click", () => this.ctx.bus.set({ selected: ids[card] }));
    return made;
  }

  draw() {
    this.root.classList.toggle("wb-still", !this.ctx.motion());
    const { titles, revealed } = this.state;
    this.order.forEach((card, place) => {
      const { el, place: number_, told } = this.cards[card];
      if (this.dragged !== card) el.style.transform = `translateY(${place * PITCH}px)`;
      say(number_, place + 1);
      el.classList.toggle("wbq-up", card === this.lifted || card === this.dragged);
      put(el, "tabindex", card === this.at ? "0" : "-1");
      put(el, "aria-posinset", place + 1);
      put(el, "aria-setsize", this.order.length);
      put(el, "data-lifted", card === this.lifted ? "true" : "false");
      const really = revealed && revealed.truth.indexOf(card);
      const off = revealed && place - really;
      say(told, !revealed ? "" : off === 0 ? "✓ right" : `${off > 0 ? "▲" : "▼"} is ${nth(really + 1)}`);
      el.classList.toggle("wbq-right", off === 0);
      put(el, "aria-label", `${place + 1}: ${titles[card]}${revealed ? `, ${off === 0 ? "right" : `is ${nth(really + 1)}`}` : ""}`);
    });
    this.marks();
  }

  /** The right column: hidden, or the order that was. */
  answer() {
    const { parts, state } = this;
    const { revealed } = state;
    const stage = state.of === "fusion" ? "the fusion's order" : "the final order";
    say(parts.head, stage);
    this.root.classList.toggle("wbq-done", Boolean(revealed));
    this.hint.style.visibility = revealed ? "hidden" : "visible";
    say(parts.reveal, revealed ? "Try again" : "Reveal");
    parts.truth.classList.toggle("wb-hatch", !revealed);
    if (!revealed) {
      fill(parts.truth, h("span", { class: "wbq-hidden" }, `Hidden: ${stage} and every score.`));
      fill(parts.joins);
      return fill(parts.said);
    }
    const most = Math.max(...revealed.scores);
    fill(parts.truth, revealed.truth.map((card, place) => this.truth(card, place, most)));
    fill(parts.joins, revealed.guess.map((card, place) => {
      const [a, b] = [place, revealed.truth.indexOf(card)].map((at) => (at + 0.5) * PITCH - 3);
      return h("path", { data: { id: state.ids[card] }, d: `M0 ${a} C${GUTTER / 2} ${a} ${GUTTER / 2} ${b} ${GUTTER} ${b}` });
    }));
    const why = revealed.overlooked.map(([kind, sentence]) => h("li", null, h("b", { text: `${KINDS[kind]}: ` }), sentence));
    fill(parts.said, h("p", null, h("b", { text: revealed.sentence })), why.length > 0 && h("ul", { "aria-label": "What was overlooked" }, why));
    this.live.say(revealed.sentence);
    this.marks();
  }

  truth(card, place, most) {
    const { ids, titles, lanes, revealed } = this.state;
    const score = revealed.scores[place];
    const next = place + 1 < revealed.scores.length ? score - revealed.scores[place + 1] : null;
    const part = revealed.shares[place] === null ? "" : ` · ${share(revealed.shares[place])} of the most possible`;
    const gap = next === null ? "" : next === 0 ? " · tied with the next" : ` · next ${number(next, 2)} behind`;
    const look = (name) => lanes.find((lane) => lane.name === name);
    const bars = most > 0 ? revealed.terms[place].map(([name, term]) => h("i", { title: `${name}: ${number(term)}`, style: { width: `${(100 * term) / most}%`, background: look(name) ? paint(look(name)) : "var(--wb-accent)" } }, h("b", { text: look(name)?.letter ?? name }))) : [];
    const el = h("div", { class: "wbq-card wbq-true", data: { id: ids[card], score: String(score) }, style: { transform: `translateY(${place * PITCH}px)` }, title: `${titles[card]} (${ids[card]})` }, h("div", { class: "wbo-row" }, h("b", { text: place + 1 }), h("span", { class: "wb-line wbo-grow", text: titles[card] })), h("div", { class: "wbq-bar" }, bars), h("div", { class: "wb-soft wbq-sum", text: `${number(score)}${part}${gap}` }));
    listen(el, "mouseenter", () => this.ctx.bus.set({ hovered: ids[card] }));
    listen(el, "mouseleave", () => this.ctx.bus.set({ hovered: null }));
    return el;
  }

  /** Nothing is marked before the reveal: the selected candidate is most often the winner. */
  marks() {
    const { hovered, selected } = this.open ? {} : this.ctx.bus.now;
    for (const el of this.root.querySelectorAll("[data-id]")) {
      el.classList.toggle("wbq-lit", hovered != null && el.dataset.id === hovered);
      el.classList.toggle("wbq-sel", selected != null && el.dataset.id === selected);
    }
  }

  // ---- moving cards

  focus(card) {
    this.at = card;
    this.cards.forEach(({ el }, each) => put(el, "tabindex", each === card ? "0" : "-1"));
  }

  shift(card, by) {
    const from = this.order.indexOf(card);
    this.place(card, from + by);
    this.live.say(`${this.state.titles[card]}: ${nth(this.order.indexOf(card) + 1)} of ${this.order.length}`);
  }

  place(card, to) {
    const order = this.order.filter((each) => each !== card);
    order.splice(Math.min(Math.max(to, 0), order.length), 0, card);
    this.order = order;
    this.draw();
  }

  step(by) {
    if (this.lifted !== null) return this.shift(this.lifted, by);
    const inside = document.activeElement?.closest?.(".wbq-card");
    const at = this.order.indexOf(this.at) + (inside ? by : 0);
    this.cards[this.order[Math.min(Math.max(at, 0), this.order.length - 1)]].el.focus({ preventScroll: true });
  }

  lift() {
    if (!this.open) return this.ctx.bus.set({ selected: this.state.ids[this.at] });
    this.lifted = this.lifted === null ? this.at : null;
    if (this.lifted !== null) this.before = [...this.order];
    this.live.say(`${this.state.titles[this.at]} ${this.lifted === null ? "put down" : "picked up: J and K move it"}`);
    this.draw();
  }

  putBack() {
    if (this.lifted === null) return;
    this.lifted = null;
    this.order = this.before;
    this.draw();
  }

  grab(event, card) {
    if (!this.open || event.button !== 0 || event.target.closest("button")) return;
    const { el } = this.cards[card];
    const start = event.clientY;
    const from = this.order.indexOf(card) * PITCH;
    this.lifted = null;
    el.setPointerCapture(event.pointerId);
    const move = (now) => {
      this.dragged = card;
      const y = Math.min(Math.max(from + now.clientY - start, 0), (this.order.length - 1) * PITCH);
      el.style.transform = `translateY(${y}px)`;
      const to = Math.round(y / PITCH);
      if (to !== this.order.indexOf(card)) this.place(card, to);
      else el.classList.add("wbq-up");
    };
    const offs = [listen(el, "pointermove", move)];
    const end = () => {
      offs.forEach((off) => off());
      this.dragged = null;
      this.draw();
    };
    offs.push(listen(el, "pointerup", end), listen(el, "pointercancel", end));
  }

  reveal() {
    if (!this.open) return this.ctx.send({ type: "again" });
    this.lifted = null;
    this.ctx.send({ type: "reveal", guess: this.order });
  }

  destroy() {
    for (const off of this.offs) off();
    this.root.remove();
  }
}

const KINDS = {
  absence: "Absent", scores: "Scores are not places", places: "Places add up", tie: "A tie", feature: "A feature", redundancy: "Redundant",
};

export default view(mount);
