/**
 * The browser's twin of the Python kernels: what a dragged slider needs, with the same bits.
 *
 * The same operations on doubles in the same order, Math.fround where an engine computes in float32, ids by code
 * point, whole-number fractions where rounding could hide a tie. Python stays the authority.
 *
 * n candidates, L lanes. `ids`: n texts, ascending by code point, so that a row's number stands for its id; what no
 * lane returned stays out. `lanes`: L names in fusion order. `ranks`: L arrays of n, from 1, -1 where absent. `raw`:
 * L arrays of n, the lanes' own scores, NaN where there is none. A refusal is an Error with Python's `code`.
 */

/**
 * A fusion; all but `possible` stand in fused order.
 * @typedef {object} Fused
 * @property {Int32Array} order rows of `ids`, best first
 * @property {string[]} ids
 * @property {Float64Array} scores n; each the left fold of its contributions, in lane order
 * @property {Float64Array} contributions n × L, row after row; NaN where absent
 * @property {string[]} decided as in Python's Fusion: "score", "id", "first_seen" or "rounding"
 * @property {number|null} possible the score of a candidate first in every lane; null where there is no bound
 */

function refuse(code, message) {
  throw Object.assign(new Error(message), { code });
}

function checked(name, value, low, high = Number.MAX_VALUE) {
  const message = `${name} is ${value}: give a number from ${low} to ${high}`;
  if (typeof value !== "number") refuse("wrong_type", message);
  if (!Number.isFinite(value)) refuse("not_finite", message);
  if (value < low || value > high) refuse("out_of_range", message);
  return value;
}

// Order

/**
 * Compares ids by code point, as Python does; `<` compares UTF-16 units.
 * @param {string} a
 * @param {string} b
 * @returns {number} below 0, 0 or above 0
 */
export function compareIds(a, b) {
  for (let i = 0; i < a.length && i < b.length; i += a.codePointAt(i) > 0xffff ? 2 : 1) {
    const difference = a.codePointAt(i) - b.codePointAt(i);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/**
 * Rows by descending value; equal ones by ascending `tie`, or by row when it is left out.
 * @param {Float64Array} values
 * @param {Int32Array} [tie] no two alike
 * @returns {Int32Array}
 */
export function orderBy(values, tie) {
  const rows = new Int32Array(values.length).map((_, row) => row);
  return rows.sort((a, b) => values[b] - values[a] || (tie ? tie[a] - tie[b] : a - b));
}

// Fractions: [numerator, denominator above 0], in whole numbers of any size

/** The number that a double prints: 0.7 is 7/10, as the person who typed it meant. */
function asPrinted(value) {
  if (Number.isInteger(value)) return asHeld(value);
  const [, whole, part, power = 0] = /^(-?\d+)\.?(\d*)(?:e-(\d+))?$/.exec(value);
  return [BigInt(whole + part), 10n ** BigInt(part.length + Number(power))];
}

/** The number that a double holds: doubling is exact, and ends at a whole number. */
function asHeld(value) {
  let denominator = 1n;
  for (; !Number.isInteger(value); value *= 2) denominator *= 2n;
  return [BigInt(value), denominator];
}

const [ZERO, ONE] = [[0n, 1n], [1n, 1n]];
const plus = ([a, b], [c, d]) => (b === d ? [a + c, b] : [a * d + c * b, b * d]);
const minus = (x, [c, d]) => plus(x, [-c, d]);
const times = ([a, b], [c, d]) => [a * c, b * d];
const over = ([a, b], [c, d]) => (c < 0n ? [-a * d, -b * c] : [a * d, b * c]);
const compare = ([a, b], [c, d]) => (a * d > c * b ? 1 : a * d < c * b ? -1 : 0);
const shares = (weights) => weights.map((weight) => over(weight, weights.reduce(plus)));

// Dialects: how engines turn a rank into a term

const f32 = Math.fround;
const EPSILON = { float64: 2 ** -52, float32: 2 ** -23 };
const ratio = (w, k, place) => over(w, plus(k, place));

/** term: (weight, k, place) → double; exact: the same in fractions; error: (weight, k, last place) → its bound. */
function form(arithmetic, term, exact = ratio, error = () => 4 * EPSILON[arithmetic]) {
  return { arithmetic, term, exact, error };
}

const PLAIN = form("float64", (w, k, place) => w / (k + place));
const SINGLE = form("float32", (w, k, place) => f32(f32(w) * f32(1 / f32(f32(k) + f32(place)))));
const NARROWED = form("float32", (w, k, place) => f32(w / (k + place)));
const SCALED = form(
  "float64",
  (w, k, place) => (k * w) / (k + place),
  (w, k, place) => ratio(times(k, w), k, place),
);
const TEN_DECIMALS = form(
  "float32",
  // rounded half up at the tenth decimal; the whole numbers are small enough for an exact floor
  (w, k, place) => f32(f32(w) * f32(Math.floor((2e10 + (k + place)) / (2 * (k + place))) / 1e10)),
  ratio,
  (w, k, last) => 4 * EPSILON.float32 + 0.5e-10 * (k + last),
);
const STRETCHED = form(
  "float32",
  (w, k, place) => (w === 0 ? 0 : f32(1 / f32(f32(f32(f32(place) / f32(w)) + f32(k)) - 1))),
  (w, k, place) => (w[0] === 0n ? ZERO : over(ONE, minus(plus(over(place, w), k), ONE))),
  (w, k) => {
    const reach = w ? 1 / w + k : 2;
    return (4 * EPSILON.float32 * reach) / Math.max(reach - 1, EPSILON.float32);
  },
);

const engine = (form, own) => ({ form, k: 60, rankBase: 1, weights: "none", ties: "id", wholeK: false, ...own });

/** By engine: formula, k, rank base, weights ("each", "none", "mean", "share"), tie rule, whether k is whole. */
export const DIALECTS = {
  __proto__: null, // a name such as "constructor" is none
  paper: engine(PLAIN),
  citenexus: engine(PLAIN),
  elasticsearch: engine(SINGLE, { weights: "each" }),
  opensearch: engine(TEN_DECIMALS, { weights: "each", wholeK: true }),
  milvus: engine(SINGLE),
  azure: engine(PLAIN, { weights: "each" }),
  langchain: engine(PLAIN, { weights: "mean", ties: "first_seen" }),
  llamaindex: engine(PLAIN, { rankBase: 0, ties: "first_seen" }),
  haystack: engine(SCALED, { k: 61, rankBase: 0, weights: "share", ties: "first_seen" }),
  weaviate: engine(NARROWED, { rankBase: 0, weights: "each" }),
  qdrant: engine(STRETCHED, { k: 2, weights: "each" }),
};

// Lanes

const ascending = new WeakSet(); // a drag asks with the same ids again

/** The lanes checked, with `hits`: each lane's rows, best first; and `scores`: their raw scores. */
function prepare(ids, ranks, lanes, raw) {
  if (lanes.length === 0) refuse("no_lanes", "lanes is empty: give at least one");
  for (const columns of [ranks, raw ?? ranks]) {
    if (columns.length !== lanes.length || columns.some((column) => column.length !== ids.length)) {
      refuse("shape_mismatch", `give ${lanes.length} lanes of ${ids.length}`);
    }
  }
  const stray = ascending.has(ids) ? -1 : ids.findIndex((id, row) => row > 0 && compareIds(ids[row - 1], id) >= 0);
  if (stray > 0) refuse("contradiction", `ids has ${ids[stray]} after ${ids[stray - 1]}: let them ascend`);
  ascending.add(ids);
  const hits = ranks.map((column, lane) => {
    const rows = new Int32Array(column.filter((rank) => rank > 0).length).fill(-1);
    for (let row = 0; row < column.length; row++) if (column[row] > 0) rows[column[row] - 1] = row;
    if (rows.includes(-1)) refuse("contradiction", `lane ${lanes[lane]}: ranks count from 1 without a gap`);
    return rows;
  });
  const scores = raw && hits.map((rows, lane) => new Float64Array(rows).map((row) => raw[lane][row]));
  const bare = scores ? scores.findIndex((column) => column.some(Number.isNaN)) : -1;
  if (bare >= 0) refuse("missing_score", `lane ${lanes[bare]} lacks a score`);
  return { ids, ranks, hits, scores };
}

function laneWeights(lanes, weights, otherwise = 1) {
  if (weights == null) return lanes.map(() => otherwise);
  if (weights.length !== lanes.length) refuse("shape_mismatch", `weights: give one for each of ${lanes.join(", ")}`);
  const read = Array.from(weights, (weight, lane) => checked(`the weight of ${lanes[lane]}`, weight, 0));
  const total = folded(read);
  if (!(total > 0 && total < Infinity)) refuse("out_of_range", `weights add up to ${total}: give one above 0`);
  return read;
}

function folded(numbers) {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

// From each lane's terms (best first) to an ordered fusion; every fusion ends here

/** slack: score → its largest rounding error; exact: (lane, rank) → the term as a fraction; alike: see `settle`. */
function assemble({ ids, ranks, hits }, terms, { possible, slack, alike, exact, narrow = Number, rule = "fold" }) {
  const [n, lanes] = [ids.length, ranks.length];
  const byRow = new Float64Array(n);
  const each = (act) => hits.forEach((rows, lane) => rows.forEach((row, hit) => act(row, lane, terms[lane][hit])));
  each((row, lane, term) => (byRow[row] = narrow(byRow[row] + term)));
  if (!byRow.every(Number.isFinite) || !Number.isFinite(possible ?? 0)) {
    refuse("not_finite", "a score overflows: give smaller weights");
  }
  const seen = firstSeen(n, hits);
  const order = orderBy(byRow, rule === "first_seen" ? seen : undefined).filter((row) => seen[row] >= 0);
  const add = (row) => (sum, column, lane) => (column[row] > 0 ? plus(sum, exact(lane, column[row])) : sum);
  const decided = settle(order, byRow, slack, alike, (row) => ranks.reduce(add(row), ZERO), rule);
  const contributions = new Float64Array(order.length * lanes).fill(NaN);
  const placeOf = new Int32Array(n);
  order.forEach((row, place) => (placeOf[row] = place));
  each((row, lane, term) => (contributions[placeOf[row] * lanes + lane] = term));
  const scores = new Float64Array(order).map((row) => byRow[row]);
  return { order, ids: Array.from(order, (row) => ids[row]), scores, contributions, decided, possible };
}

/** The order in which rows turn up, reading lane after lane; -1 where no lane returned it. */
function firstSeen(n, hits) {
  const seen = new Int32Array(n).fill(-1);
  let place = 0;
  for (const rows of hits) for (const row of rows) seen[row] = seen[row] < 0 ? place++ : seen[row];
  return seen;
}

/**
 * What decided each place. Only neighbours within the rounding error can be exact ties, so only those are worked
 * out as fractions, one for all rows of the same mark (`alike`). Rule "exact" orders near ties by their fractions.
 */
function settle(order, scores, slack, alike, exact, rule) {
  const decided = new Array(order.length).fill("score");
  const tie = rule === "first_seen" ? rule : "id";
  const near = [];
  for (let place = 0; place + 1 < order.length; place++) {
    const [above, below] = [scores[order[place]], scores[order[place + 1]]];
    if (above - below <= slack(above) + slack(below)) near.push(place);
  }
  const [marks, fractions] = [new Map(), new Map()];
  const once = (map, key, make) => (map.has(key) ? map : map.set(key, make())).get(key);
  const compareRows = (a, b) => {
    const [left, right] = [a, b].map((row) => once(marks, row, () => alike(row)));
    if (left === right) return 0;
    return compare(once(fractions, left, () => exact(a)), once(fractions, right, () => exact(b)));
  };
  for (let i = 0; rule === "exact" && i < near.length; i++) {
    const first = near[i];
    while (near[i + 1] === near[i] + 1) i++;
    order.subarray(first, near[i] + 2).sort((a, b) => compareRows(b, a) || a - b);
  }
  for (const place of near) {
    const [a, b] = [order[place], order[place + 1]];
    const above = compareRows(a, b);
    const same = scores[a] === scores[b];
    if (rule === "exact") decided[place + 1] = above === 0 ? tie : "score";
    // the doubles say what the fractions say: a tie where it is one, the larger first where it is not
    else decided[place + 1] = above === 0 && same ? tie : above > 0 && !same ? "score" : "rounding";
  }
  if (near[0] === 0) decided[0] = decided[1];
  return decided;
}

// Fusion by rank

/**
 * Reciprocal rank fusion: weight/(k + rank), folded left to right in lane order.
 * @param {object} given ids, lanes, ranks (see the top)
 * @param {number} [given.k] 60 when left out, or the dialect's own
 * @param {ArrayLike<number>} [given.weights] one a lane
 * @param {string} [given.dialect] a key of DIALECTS
 * @param {string} [given.ties] "fold": order by the folded doubles; "exact": near ties by their exact fractions
 * @param {number} [given.rankBase] what the first rank counts as, 1 or 0; a dialect has its own
 * @returns {Fused}
 */
export function rrf({ ids, ranks, lanes, k, weights, dialect, ties = "fold", rankBase }) {
  if (ties !== "fold" && ties !== "exact") refuse("out_of_range", `ties is ${ties}: give fold or exact`);
  const spoken = dialect == null ? null : DIALECTS[dialect];
  if (spoken === undefined) refuse("unknown_dialect", `dialect is ${dialect}: give one of ${Object.keys(DIALECTS)}`);
  if (spoken && (rankBase != null || ties === "exact")) {
    refuse("contradiction", `${dialect} has its own rank base and tie rule`);
  }
  const base = spoken ? spoken.rankBase : rankBase ?? 1;
  const read = prepare(ids, ranks, lanes);
  const given = laneWeights(lanes, weights, spoken?.weights === "mean" ? 1 / lanes.length : 1);
  if (spoken?.weights === "none" && given.some((weight) => weight !== 1)) {
    refuse("parameter_of_another_fusion", `${dialect} reads no weights: drop them`);
  }
  const shared = spoken?.weights === "share";
  const used = shared ? given.map((weight) => weight / folded(given)) : given;
  const smoothing = checkedK(k, base, used, spoken, dialect);
  const { arithmetic, term, exact, error } = spoken?.form ?? PLAIN;
  const narrow = arithmetic === "float32" ? f32 : Number;

  const places = read.hits.map((rows) => new Float64Array(rows.length).map((_, hit) => base + hit));
  const terms = used.map((weight, lane) => places[lane].map((place) => term(weight, smoothing, place)));
  const last = base + Math.max(...read.hits.map((rows) => rows.length));
  const largest = Math.max(...used.map((weight) => error(weight, smoothing, last)));
  const bound = largest + used.length * EPSILON[arithmetic];
  const printed = shared ? shares(given.map(asPrinted)) : given.map(asPrinted);
  return assemble(read, terms, {
    possible: used.map((weight) => term(weight, smoothing, base)).reduce((a, b) => narrow(a + b)),
    slack: (score) => score * bound,
    alike: samePairs(ranks, used),
    exact: (lane, rank) => exact(printed[lane], asPrinted(smoothing), [BigInt(rank - 1 + base), 1n]),
    narrow,
    rule: spoken?.ties === "first_seen" ? "first_seen" : ties,
  });
}

function checkedK(k, base, weights, spoken, dialect) {
  const smoothing = k == null ? (spoken?.k ?? 60) : checked("k", k, 0);
  if (spoken?.wholeK && !Number.isInteger(checked("k", smoothing, 1, 10_000))) {
    refuse("out_of_range", `k is ${k}: ${dialect} takes a whole number`);
  }
  if (spoken?.form.arithmetic === "float32") {
    const odd = [smoothing, ...weights].find((x) => x > (2 - 2 ** -23) * 2 ** 127 || (x > 0 && x < 2 ** -126));
    if (odd) refuse("out_of_range", `${odd}: ${dialect} computes in float32, which cannot hold it`);
  }
  const divisor = (w) => (dialect === "qdrant" ? f32(f32(f32(1 / f32(w)) + f32(smoothing)) - 1) : smoothing + base);
  if (weights.some((w) => w && !(divisor(w) > 0))) {
    refuse("out_of_range", `k is ${smoothing}: the first rank would divide by 0; give a larger k`);
  }
  return smoothing;
}

/** Rows with the same (weight, rank) pairs, in whatever lanes, tie exactly. */
const samePairs = (ranks, weights) => (row) => {
  const pair = (weight, lane) => (weight > 0 && ranks[lane][row] > 0 ? `${weight}:${ranks[lane][row]}` : "");
  return weights.map(pair).sort().join();
};

// Fusion by score

/**
 * weight · (score - min)/(max - min), each lane by its own hits; a lane of equal scores gives each hit its weight.
 * @param {object} given ids, lanes, ranks, raw; a score for every hit
 * @param {ArrayLike<number>} [given.weights] one a lane
 * @param {string} [given.dialect] "opensearch": lowest hit 0.001, weights divided by their sum
 * @returns {Fused}
 */
export function relativeScore({ ids, ranks, raw, lanes, weights, dialect }) {
  if (dialect != null && dialect !== "opensearch") refuse("unknown_dialect", `dialect is ${dialect}: give opensearch`);
  const floor = dialect ? 0.001 : 0;
  const read = prepare(ids, ranks, lanes, raw);
  const given = laneWeights(lanes, weights);
  const used = dialect ? given.map((weight) => weight / folded(given)) : given;
  const spans = read.scores.map((scores, lane) => span(lanes[lane], scores));
  const share = (score, [low, high]) => (low === high ? 1 : (score - low) / (high - low) || floor);
  const terms = used.map((weight, lane) => read.scores[lane].map((score) => share(score, spans[lane]) * weight));
  const magnified = spans.map(([low, high], lane) =>
    high > low ? (used[lane] * Math.max(Math.abs(low), Math.abs(high))) / (high - low) : 0,
  );
  const doubt = 8 * EPSILON.float64 * folded(magnified);
  const printed = dialect ? shares(given.map(asPrinted)) : given.map(asPrinted);
  const exact = (lane, rank) => {
    const [score, low, high] = [read.scores[lane][rank - 1], ...spans[lane]].map(asPrinted);
    if (compare(low, high) === 0) return printed[lane];
    const exactShare = over(minus(score, low), minus(high, low));
    return times(printed[lane], exactShare[0] === 0n ? asPrinted(floor) : exactShare);
  };
  return assemble(read, terms, {
    possible: folded(used),
    slack: (score) => score * ((used.length + 4) * EPSILON.float64) + doubt,
    alike: sameScores(raw),
    exact,
  });
}

/**
 * Distribution-based score fusion: each lane's mean ± 3σ (n - 1) mapped to 0..1 and clamped; 0.5 without a spread.
 * @param {object} given ids, lanes, ranks, raw
 * @returns {Fused}
 */
export function dbsf({ ids, ranks, raw, lanes }) {
  const read = prepare(ids, ranks, lanes, raw);
  const terms = read.scores.map((scores, lane) => threeSigma(lanes[lane], scores));
  return assemble(read, terms, {
    possible: null,
    slack: (score) => score * (terms.length * EPSILON.float64),
    alike: sameScores(raw),
    // σ is a root that no fraction holds, so exact ties are those of the recorded terms
    exact: (lane, rank) => asHeld(terms[lane][rank - 1]),
  });
}

/**
 * alpha · first lane + (1 - alpha) · second lane, on the scores as given; both score every candidate.
 * @param {object} given ids, lanes, ranks, raw
 * @param {number} [given.alpha] 0 (second lane alone) to 1 (first lane alone)
 * @returns {Fused}
 */
export function linear({ ids, ranks, raw, lanes, alpha = 0.5 }) {
  checked("alpha", alpha, 0, 1);
  const read = prepare(ids, ranks, lanes, raw);
  if (lanes.length !== 2) refuse("shape_mismatch", `linear mixes two lanes, not ${lanes.length}`);
  if (read.hits.some((rows) => rows.length < ids.length)) {
    refuse("missing_score", "linear needs a score from both lanes for every candidate");
  }
  const terms = [alpha, 1 - alpha].map((weight, lane) => read.scores[lane].map((score) => weight * score));
  const largest = terms.reduce((most, term) => term.reduce((a, b) => Math.max(a, Math.abs(b)), most), 0);
  const weights = [asPrinted(alpha), minus(ONE, asPrinted(alpha))];
  return assemble(read, terms, {
    possible: null,
    slack: () => 12 * EPSILON.float64 * largest,
    alike: sameScores(raw),
    exact: (lane, rank) => times(weights[lane], asPrinted(read.scores[lane][rank - 1])),
  });
}

function span(lane, scores) {
  if (scores.length === 0) return [0, 0];
  const [low, high] = [Math.min, Math.max].map((end) => scores.reduce((a, b) => end(a, b)));
  measured(lane, high - low);
  return [low, high];
}

function measured(lane, spread) {
  if (!Number.isFinite(spread)) refuse("out_of_range", `lane ${lane}: no double holds the spread of its scores`);
}

function threeSigma(lane, scores) {
  const [low, high] = span(lane, scores);
  if (low === high) return scores.map(() => 0.5);
  const mean = folded(scores) / scores.length;
  const sigma = Math.sqrt(folded(scores.map((x) => (x - mean) * (x - mean))) / (scores.length - 1));
  const width = 6 * sigma;
  measured(lane, width || NaN);
  return scores.map((x) => Math.min(Math.max((x - (mean - 3 * sigma)) / width, 0), 1));
}

/** Rows with the same scores in the same lanes tie exactly. */
const sameScores = (raw) => (row) => raw.map((column) => column[row]).join();

// Diversity

/**
 * Maximal marginal relevance: λ · relevance - (1 - λ) · redundancy, redundancy = largest similarity to a pick.
 * @param {object} given
 * @param {string[]} given.ids n, in any order; ties go to the ascending id
 * @param {ArrayLike<number>} given.relevance n
 * @param {ArrayLike<number>} given.similarity n × n, row after row, read as [candidate][selected]
 * @param {number} [given.lambda] 1 relevance only … 0 diversity only
 * @param {number} [given.topK] how many to pick; all when left out or above n
 * @returns {{picks: number[], steps: object[], changed: boolean}} positions in pick order; steps as Python's Step;
 *   changed: the picks leave the relevance order
 */
export function mmr({ ids, relevance, similarity, lambda = 0.7, topK }) {
  const n = ids.length;
  if (n === 0) refuse("nothing_to_search", "ids is empty: give candidates");
  checked("lambda", lambda, 0, 1);
  const wanted = Math.min(checked("topK", topK ?? n, 1), n);
  if (!Number.isInteger(wanted)) refuse("wrong_type", `topK is ${topK}: give a whole number`);
  if (relevance.length !== n || similarity.length !== n * n) {
    refuse("shape_mismatch", `relevance and similarity do not fit ${n} candidates`);
  }

  // in ascending id order, so that the first of equal scores is the one of the smallest id
  const byId = Array.from(ids.keys()).sort((a, b) => compareIds(ids[a], ids[b]));
  const relevant = Float64Array.from(byId, (position) => relevance[position]);
  const gain = relevant.map((value) => lambda * value);
  const redundancy = new Float64Array(n).fill(-Infinity);
  const blame = new Int32Array(n);
  const score = gain.slice();
  const [picks, steps] = [[], []];
  for (let place = 0; place < wanted; place++) {
    const best = score.reduce((most, each, i) => (each > score[most] ? i : most), 0);
    const pick = byId[best];
    picks.push(pick);
    steps.push({
      id: ids[pick],
      relevance: relevant[best],
      redundancy: place === 0 ? null : redundancy[best],
      against: place === 0 ? null : ids[picks[blame[best]]],
      score: score[best],
      decided: score.indexOf(score[best], best + 1) < 0 ? "pick" : "id",
    });
    gain[best] = -Infinity; // out of the race
    for (let i = 0; i < n; i++) {
      const newest = similarity[byId[i] * n + pick];
      if (newest > redundancy[i]) [redundancy[i], blame[i]] = [newest, place];
      score[i] = gain[i] - redundancy[i] * (1 - lambda);
    }
  }
  const byRelevance = orderBy(relevant);
  return { picks, steps, changed: picks.some((pick, place) => pick !== byId[byRelevance[place]]) };
}

// Gate and grounding

/**
 * The gate's arithmetic on measured features. values, weights and contributions stand in the order top_score,
 * coverage, margin, support.
 * @param {Object<string, any>} given floors: minTopScore, minCoverage; evidence: how many passages came through
 * @returns {{passed: boolean, score: number, contributions: number[], causes: string[], conditions: object[]}}
 *   causes: the ids of the conditions that fail
 */
export function gate({ values, weights, threshold, minTopScore, minCoverage, evidence }) {
  const contributions = weights.map((weight, place) => weight * values[place]);
  const score = contributions.reduce((total, each) => total + each);
  const tests = [
    ["top_score", values[0], minTopScore],
    ["coverage", values[1], minCoverage],
    ["score", score, threshold],
  ];
  const conditions = [["evidence", evidence, 1], ...(evidence ? tests : [])].map(([id, observed, limit]) => {
    return { id, observed, limit, margin: observed - limit, passed: observed >= limit, binding: false };
  });
  // what decides is the condition that fails by most, or the one that holds by least
  const deciding = evidence ? conditions.slice(1) : conditions;
  deciding.reduce((least, each) => (each.margin < least.margin ? each : least)).binding = true;
  const causes = conditions.filter((each) => !each.passed).map((each) => each.id);
  return { passed: causes.length === 0, score, contributions, causes, conditions };
}

/**
 * A sentence's verdict at another floor. What its words say is Python's: `reached` is its verdict where the score
 * reaches the floor, `missed` where it does not.
 * @param {{score: number|null, reached: string, missed: string}} sentence
 * @param {number} floor
 * @returns {string}
 */
export function verdictAt({ score, reached, missed }, floor) {
  return score !== null && score >= floor ? reached : missed;
}
