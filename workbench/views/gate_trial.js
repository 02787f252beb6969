// Labelled queries: precision, recall and abstention over thresholds, and the four cells with the queries in them.
import { gate as decide } from "./kernels.js";
import { fill, h, number, put, say, share } from "./common.js";
import { grid } from "./panel.js";

const CELLS = [
  ["tp", "answered, answerable", "good"],
  ["fp", "answered, not answerable", "bad"],
  ["fn", "refused, answerable", "bad"],
  ["tn", "refused, not answerable", "good"],
];
const LINES = [
  ["precision", "P", "var(--wb-ink)", "", ([tp, fp]) => ratio(tp, tp + fp)],
  ["recall", "R", "var(--wb-accent)", "6 3", ([tp, , fn]) => ratio(tp, tp + fn)],
  ["abstention", "A", "var(--wb-warn)", "2 3", ([tp, fp, fn, tn]) => ratio(fn + tn, tp + fp + fn + tn)],
];
const [WIDE, HIGH, LEFT, TOP] = [330, 120, 30, 8];

export class Trial {
  constructor(gate, el) {
    this.gate = gate;
    this.el = el;
    this.open = null;
    this.tried = gate.state.labelled;
    el.classList.toggle("wb-hidden", !this.tried);
    if (!this.tried) return;
    this.chart = h("svg", { viewBox: `0 0 ${LEFT + WIDE + 24} ${TOP + HIGH + 22}`, role: "img" });
    this.cells = CELLS.map(([name, text, kind], i) => {
      const count = h("b");
      return { count, el: h("button", { class: `wbg-cellbutton wbg-${kind}`, data: { cell: name }, on: { click: () => this.list(i) } }, count, h("span", { text })) };
    });
    this.rates = h("div", { class: "wb-soft wbg-rates" });
    this.listed = h("div", { class: "wbg-listed" });
    this.idle = h("div");
    const legend = h("div", { class: "wb-soft wbg-legend" }, "P precision (full line) · R recall (dashes) · A abstention (dots), over the threshold");
    const matrix = h("div", { class: "wbg-matrix", role: "group", "aria-label": "Confusion matrix: choose a cell to list its queries" }, this.cells.map((cell) => cell.el));
    this.title = h("h4");
    fill(el, this.title, h("div", { class: "wbg-halves" }, h("div", null, this.chart, legend), h("div", null, matrix, this.rates)), this.idle, this.listed);
  }

  /** Each query's score, and whether it passes, under a policy. */
  standings(policy) {
    const { features } = this.gate.state;
    return this.tried.rows.map(({ score, values, evidence }) => {
      if (!values) return { score, holds: true };
      const weights = features.map(({ weight }) => policy[weight]);
      const twin = decide({ values, weights, threshold: policy.threshold, minTopScore: policy.min_top_score, minCoverage: policy.min_coverage, evidence });
      return { score: twin.score, holds: !twin.causes.some((cause) => cause !== "score") };
    });
  }

  /** The twin's counts held against Python's. */
  check() {
    this.tried = this.gate.state.labelled;
    if (!this.tried) return;
    const { policy } = this.gate;
    const standings = this.standings(policy);
    const mine = [this.count(standings, policy.threshold), ...this.tried.thresholds.map((at) => this.count(standings, at))];
    if (JSON.stringify(mine) === JSON.stringify([this.tried.at, ...this.tried.sweep])) return;
    throw new Error("the browser and Python disagree on the labelled queries. What is shown may be wrong.");
  }

  cellOf(place, { score, holds }, threshold) {
    const passed = holds && score >= threshold;
    const { answerable } = this.tried.rows[place];
    return passed ? (answerable ? 0 : 1) : answerable ? 2 : 3;
  }

  count(standings, threshold) {
    const cells = [0, 0, 0, 0];
    standings.forEach((each, place) => cells[this.cellOf(place, each, threshold)]++);
    return cells;
  }

  show(policy) {
    if (!this.tried) return;
    const standings = this.standings(policy);
    const now = this.count(standings, policy.threshold);
    this.now = standings.map((each, place) => this.cellOf(place, each, policy.threshold));
    const bare = this.tried.rows.filter((row) => !row.values).length;
    say(this.title, `${this.tried.rows.length} labelled queries${bare ? `, ${bare} with a score as given that only the threshold moves` : ""}`);
    now.forEach((count, i) => say(this.cells[i].count, count));
    say(this.rates, `at ${number(policy.threshold)}: ${LINES.map(([name, , , , rate]) => `${name} ${said(rate(now))}`).join(", ")}`);
    fill(this.idle, this.tried.idle.map((text) => h("div", { class: "wbg-note", text: `⚠ ${text}` })));
    this.draw(this.tried.thresholds.map((at) => this.count(standings, at)), policy.threshold);
    if (this.open !== null) this.list(this.open, true);
  }

  draw(sweep, threshold) {
    const { thresholds } = this.tried;
    const x = (value) => LEFT + WIDE * value;
    const y = (value) => TOP + HIGH * (1 - value);
    const parts = [];
    for (const at of [0, 0.5, 1]) {
      parts.push(h("line", { x1: LEFT, x2: LEFT + WIDE, y1: y(at), y2: y(at), class: "wbg-grid" }));
      parts.push(h("text", { x: LEFT - 5, y: y(at) + 4, "text-anchor": "end" }, String(at)));
      parts.push(h("text", { x: x(at), y: TOP + HIGH + 16, "text-anchor": "middle" }, String(at)));
    }
    const ends = [];
    for (const [, mark, colour, dash, rate] of LINES) {
      const points = sweep.map((cells, i) => [thresholds[i], rate(cells)]);
      // undefined is a gap: where nothing passes there is no precision
      const d = points.map(([at, value], i) => (value === null ? "" : `${i > 0 && points[i - 1][1] !== null ? "L" : "M"}${x(at)} ${y(value)}`)).join(" ");
      parts.push(h("path", { d, class: "wbg-curve", style: { stroke: colour, "stroke-dasharray": dash || "none" } }));
      const last = points.findLast(([, value]) => value !== null);
      if (last) ends.push({ mark, x: x(last[0]) + 5, y: y(last[1]) + 4 });
    }
    ends.sort((a, b) => a.y - b.y);
    ends.forEach((end, i) => {
      const above = ends.slice(0, i).findLast((each) => Math.abs(each.x - end.x) < 12);
      if (above && end.y - above.y < 12) end.y = above.y + 12;
    });
    const lowest = Math.max(...ends.map((end) => end.y), 0) - (TOP + HIGH + 6);
    for (const end of ends) parts.push(h("text", { x: end.x, y: end.y - Math.max(0, lowest), class: "wbg-mark" }, end.mark));
    parts.push(h("line", { x1: x(threshold), x2: x(threshold), y1: TOP, y2: TOP + HIGH, class: "wbg-now" }));
    put(this.chart, "aria-label", `Precision, recall and abstention over the threshold, ${number(threshold)} marked; T shows the table`);
    fill(this.chart, parts);
  }

  /** Lists the queries of a cell; choosing it again closes it. */
  list(cell, keep = false) {
    this.open = this.open === cell && !keep ? null : cell;
    this.cells.forEach(({ el }, i) => put(el, "aria-pressed", String(i === this.open)));
    if (this.open === null) return fill(this.listed);
    const places = this.now.flatMap((each, place) => (each === cell ? [place] : []));
    const standings = this.standings(this.gate.policy);
    const line = (place) => {
      const { query, opens } = this.tried.rows[place];
      const act = () => (this.gate.status("asking Python …"), this.gate.asking.ask({ type: "open", row: place }));
      const name = opens ? h("button", { class: "wbg-source", title: "Open its run here", text: query, on: { click: act } }) : h("span", { text: query });
      const { score, holds } = standings[place];
      return h("li", null, name, h("span", { class: "wb-soft", text: ` ${number(score)}${holds ? "" : ", a floor is broken"}` }));
    };
    fill(this.listed, h("b", { text: `${CELLS[cell][1]}: ${places.length}` }), h("ul", null, places.map(line)));
  }

  table(policy) {
    if (!this.tried) return null;
    const standings = this.standings(policy);
    const heads = ["threshold", ...CELLS.map(([name]) => name), ...LINES.map(([name]) => name)];
    const rows = this.tried.thresholds.map((at) => {
      const cells = this.count(standings, at);
      return [number(at), ...cells.map(String), ...LINES.map(([, , , , rate]) => said(rate(cells)))];
    });
    return grid(heads, rows, "labelled queries over the threshold");
  }
}

const ratio = (part, whole) => (whole ? part / whole : null);
const said = (rate) => (rate === null ? "undefined" : share(rate));
