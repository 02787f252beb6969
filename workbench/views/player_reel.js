// The fusion player's reel: which frames there are, and where every watched candidate stands in each. No document here.
import { number, ordinal, share } from "./common.js";
import { difference, fuse, inputs, termSaid, termText } from "./fusing.js";
import { named } from "./knobs.js";

const SWEEP = [30, 15, 8, 4, 2, 4, 8, 15, 30];

export class Reel {
  /** Throws where the browser and Python disagree by a bit. */
  constructor(state, buffers, slow = false) {
    this.state = state;
    this.slow = slow;
    this.given = inputs(state, buffers);
    this.change = { k: state.setting.k, weights: state.setting.weights && [...state.setting.weights] };
    this.fused = fuse(this.given);
    this.previewing = this.rawSums = false;
    const wrong = difference(this.given, this.fused);
    if (wrong) throw new Error(`the browser and Python disagree: ${wrong}. What is shown may be wrong.`);
    const { rows, ids, titles } = state.cards;
    this.cards = new Map(rows.map((row, i) => [row, { id: ids[i], title: titles[i] }]));
    this.filled = state.lanes.filter((lane) => lane.column !== null);
    this.tags();
    this.wind();
    this.check();
  }

  /** Another setting, by the twin, until Python has been asked. */
  preview(change) {
    this.fused = fuse(this.given, change);
    this.change = change;
    this.placed = null;
    this.previewing = true;
    this.wind();
  }

  /** Raw scores added as they are, in the place of terms. */
  addRaw(on) {
    this.rawSums = on;
    this.wind();
  }

  /** One rank at a time, or a lane at once. */
  rankByRank(on) {
    this.slow = on;
    this.wind();
  }

  /** Candidates are called a, b, c … in the order in which reading lane after lane meets them. */
  tags() {
    const best = (row) => this.filled.map(({ column }) => this.given.ranks[column][row]).map((rank, i) => (rank > 0 ? i * 1e6 + rank : Infinity));
    const met = [...this.cards.keys()].sort((a, b) => Math.min(...best(a)) - Math.min(...best(b)));
    met.forEach((row, i) => (this.cards.get(row).tag = tagAt(i)));
  }

  /** The frames: Python's for the recorded setting, the twin's for another, and k at the end. */
  wind() {
    const { state } = this;
    this.folds = null;
    this.kept = new Map();
    const whole = this.previewing || this.rawSums ? this.made() : state.frames;
    const frames = this.slow ? whole.flatMap((frame) => (frame.kind === "lane" ? [...this.ranksOf(frame), frame] : [frame])) : whole;
    this.end = frames.length - 1;
    const { method } = state.setting;
    const now = this.change.k;
    const sweep = method === "rrf" && !this.rawSums && frames.length ? [...SWEEP, now].filter((k, i, all) => k !== (i ? all[i - 1] : now)) : [];
    this.frames = [...frames, ...sweep.map((k) => ({ kind: "k", k }))];
  }

  /** Frames of a setting that Python has not been asked for yet. */
  made() {
    if (this.state.frames.length === 0) return [];
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

  /** The steps before a lane's own, each of which adds the term of one watched candidate and of all ranked above it. */
  ranksOf({ lane: name }) {
    const lane = this.given.lanes.indexOf(name);
    const ranks = this.given.ranks[lane];
    const met = [...this.cards.keys()].filter((row) => ranks[row] > 0).sort((a, b) => ranks[a] - ranks[b]);
    return met.map((row) => {
      const step = { ...this.standing(lane, ranks[row]), kind: "rank", lane: name, rank: ranks[row] };
      const at = step.rows.indexOf(row);
      const term = this.said(lane, row, this.term(row, lane));
      step.sentence = `${name}, ${ordinal(ranks[row])}: ${this.title(row)} gets ${term}; it has ${number(step.totals[at])} so far, ${ordinal(step.places[at])} of those that have a term.`;
      return step;
    });
  }

  /** The step here that shows what a step of another reel showed: by kind, lane and rank, else the nearest before. */
  like({ frames }, at) {
    const was = frames[at];
    if (!was) return at;
    const alike = (frame) => frame && ["kind", "lane", "rank", "k"].every((name) => frame[name] === was[name]);
    const same = alike(this.frames[at]) ? at : this.frames.findIndex(alike); // the same k comes twice
    if (same >= 0) return same;
    const ofLane = was.lane == null ? -1 : this.frames.findIndex(({ kind, lane }) => kind === "lane" && lane === was.lane);
    return ofLane >= 0 ? ofLane : Math.min(at, this.end);
  }

  heard(step, before) {
    if (step.totals[0] === null) return `${step.lane} adds nothing.`;
    const over = before.totals[0] !== null && before.rows[0] !== step.rows[0] ? `, overtaking ${this.title(before.rows[0])}` : "";
    return `${step.lane} adds its ${this.rawSums ? "scores" : "terms"}: ${this.title(step.rows[0])} leads with ${number(step.totals[0])}${over}.`;
  }

  ending() {
    if (!this.rawSums) return `At ${named(this.state, this.change)}, worked out here. Let go of the knob and Python confirms.`;
    const { lanes, raw } = this.given;
    const { rows, totals } = this.standing(lanes.length - 1);
    const told = lanes.map((name, lane) => [name, raw[lane][rows[0]]]).filter(([, score]) => !Number.isNaN(score));
    const parts = told.map(([name, score]) => `${name} ${number(score)} (${share(score / totals[0])})`);
    return `Added as they are, the lanes with large numbers drown the others: ${this.title(rows[0])} has ${parts.join(" + ")} = ${number(totals[0])}. That is why ranks are fused, or scores are scaled first.`;
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

  /** Running totals with all of a lane's terms down to a rank. */
  down(lane, rank) {
    if (rank === Infinity) return this.fold(lane);
    const after = this.fold(lane);
    const before = lane > 0 ? this.fold(lane - 1) : new Float64Array(this.given.n).fill(NaN);
    const ranks = this.given.ranks[lane];
    return after.map((total, row) => (ranks[row] > 0 && ranks[row] <= rank ? total : before[row]));
  }

  /** The watched candidates after a lane, or after its terms down to a rank; best first, with their places among all. */
  standing(lane, rank = Infinity) {
    const totals = this.down(lane, rank);
    const begun = [...totals.keys()].filter((row) => !Number.isNaN(totals[row]));
    const last = lane === this.given.lanes.length - 1 && rank === Infinity && !this.rawSums;
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

  /**
   * A step and its standing: `added`, how many lanes have all their terms in; `lit`, the lane that is looked at;
   * `moving`, the lane whose terms come in with this very step. Null where there is none.
   */
  frame(at) {
    const frame = this.frames[at];
    const { lanes } = this.given;
    if (frame.kind === "k") return { ...this.atK(frame.k), kind: "k", lane: null, added: lanes.length, lit: null, moving: null };
    const lane = lanes.indexOf(frame.lane);
    if (frame.kind === "rank") return { ...frame, added: lane, lit: lane, moving: lane };
    const added = frame.kind === "scores" || frame.kind === "ranks" ? 0 : frame.kind === "lane" ? lane + 1 : lanes.length;
    const lit = frame.kind === "lane" ? lane : null;
    return { ...frame, added, lit, moving: this.slow ? null : lit };
  }

  /** Whether a lane's term of a candidate is in at a step. */
  counted(frame, row, lane) {
    if (frame.kind !== "rank" || lane !== frame.added) return lane < frame.added;
    const rank = this.given.ranks[lane][row];
    return rank > 0 && rank <= frame.rank;
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
    const leads = `${this.title(first)} ${first === before ? "still leads" : "leads"} with ${number(standing.totals[0])}`;
    const told = first === before ? leads : `${leads}, no longer ${this.title(before)}`;
    const setting = { ...this.state.setting, ...this.change, k };
    const weigh = [1, 10].map((rank) => `${ordinal(rank)} ${termText(setting, 0, rank)}`).join(", ");
    const back = k === this.change.k ? "Back at" : "At";
    standing.sentence = `${back} k = ${number(k)} (the ${weigh}): ${told}.`;
    this.kept.set(k, standing);
    return standing;
  }

  /** The longest total that this step and all others at the setting reach, so that bars only grow. */
  scale(frame) {
    const last = frame.kind === "k" ? frame.totals : this.standing(this.given.lanes.length - 1).totals;
    return Math.max(...last.filter((each) => each !== null), Number.MIN_VALUE);
  }

  /** The same at a frame of another k. */
  termIn(frame, row, lane) {
    if (!frame.fused) return this.term(row, lane);
    frame.placed ??= places(frame.fused.order, this.given.n);
    return frame.fused.contributions[frame.placed[row] * this.given.lanes.length + lane];
  }

  /** A term in words: `1/(60+3) = 0.01587`. */
  said(lane, row, term) {
    if (this.rawSums) return number(term);
    return termSaid({ ...this.state.setting, ...this.change }, lane, this.given.ranks[lane][row], term);
  }

  /** The formula alone, as it flies. */
  formula(lane, row, term) {
    if (this.rawSums) return number(term);
    return termText({ ...this.state.setting, ...this.change }, lane, this.given.ranks[lane][row]) ?? number(term);
  }

  /** What decided a candidate's place where scores are equal. */
  tied(row) {
    this.placed ??= places(this.fused.order, this.given.n);
    const place = this.placed[row];
    const rule = this.fused.decided[place];
    const next = this.fused.decided[place + 1];
    if (place > 0 && rule !== "score") return rule === "rounding" ? "rounding decides" : `tied: ${rule === "id" ? "larger id" : "seen later"}`;
    if (next && next !== "score") return next === "rounding" ? "rounding decides" : `tied: ${next === "id" ? "smaller id" : "seen first"}`;
    return "";
  }

  /** By how much the running totals at the end of a frame miss the scores; null before the last lane. */
  residual(frame) {
    if (frame.added < this.given.lanes.length || this.rawSums) return null;
    const fused = frame.fused ?? this.fused;
    const placed = places(fused.order, this.given.n);
    const { rows, totals } = frame.fused ? frame : this.standing(frame.added - 1);
    return Math.max(0, ...rows.map((row, i) => Math.abs(totals[i] - fused.scores[placed[row]])));
  }
}

/** a, b … z, a2, b2 … */
const tagAt = (i) => `${String.fromCharCode(97 + (i % 26))}${i >= 26 ? Math.floor(i / 26) + 1 : ""}`;

function places(order, n) {
  const found = new Int32Array(n).fill(-1);
  order.forEach((row, place) => (found[row] = place));
  return found;
}
