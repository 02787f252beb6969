// Fusion in the browser: the twin asked with what a state holds, held against Python's own answer, put into words.
import { dbsf, DIALECTS, relativeScore, rrf } from "./kernels.js";
import { columns, number, typed } from "./common.js";

/** What the twin takes, out of a state and its buffers. Row numbers written with leading zeros serve as ids. */
export function inputs(state, buffers) {
  const { setting, candidates: n } = state;
  const lanes = setting.lanes;
  return {
    n,
    lanes,
    setting,
    ids: Array.from({ length: n }, (_, row) => String(row).padStart(8, "0")),
    ranks: columns(Int32Array, buffers.ranks, lanes.length, n),
    raw: columns(Float64Array, buffers.raw, lanes.length, n),
    order: typed(Int32Array, buffers.order),
    scores: typed(Float64Array, buffers.scores),
  };
}

/** The fusion with `change` ({k, weights}) on top of the recorded setting. */
export function fuse(given, change = {}) {
  const { setting, ids, ranks, raw, lanes } = given;
  const { method, dialect, ties, rankBase, k, weights } = { ...setting, ...change };
  if (method === "dbsf") return dbsf({ ids, ranks, raw, lanes });
  if (method === "relative_score") return relativeScore({ ids, ranks, raw, lanes, weights, dialect });
  const base = dialect == null ? { rankBase, ties: ties ?? "fold" } : {};
  return rrf({ ids, ranks, lanes, k, weights: reads(setting) ? weights : undefined, dialect, ...base });
}

/** Whether this fusion reads weights. */
export function reads({ method, dialect }) {
  return method === "relative_score" || (method === "rrf" && (dialect == null || DIALECTS[dialect].weights !== "none"));
}

/** Where the twin's answer leaves Python's, in words; null where every bit agrees. */
export function difference({ order, scores, n }, fused) {
  if (fused.order.length !== n) return `the twin ranks ${fused.order.length} candidates, Python ${n}`;
  for (let place = 0; place < n; place++) {
    if (!Object.is(fused.scores[place], scores[place])) {
      return `at place ${place + 1} the twin has ${fused.scores[place]}, Python ${scores[place]}`;
    }
    if (fused.order[place] !== order[place]) return `at place ${place + 1} the twin has another candidate than Python`;
  }
  return null;
}

const plain = (value) => String(value);

/** A term as the fraction to print, as Python's kernels.fusion.term_text; null where terms are not made of ranks. */
export function termText({ method, dialect, k, rankBase, weights }, lane, rank) {
  if (method !== "rrf") return null;
  const place = rank - 1 + rankBase;
  const weight = plain(weights[lane]);
  if (dialect === "haystack") {
    let total = 0;
    for (const each of weights) total += each;
    return `${plain(k)}·(${weight}/${plain(total)})/(${plain(k)}+${place})`;
  }
  if (dialect === "qdrant") {
    if (weight === "0") return "0";
    return weight === "1" ? `1/(${place}+${plain(k)}-1)` : `1/(${place}/${weight}+${plain(k)}-1)`;
  }
  return `${weight}/(${plain(k)}+${place})`;
}

/** `1/(60+3) = 0.01587`, or the number alone. */
export function termSaid(setting, lane, rank, contribution) {
  const text = termText(setting, lane, rank);
  return text === null ? number(contribution) : `${text} = ${number(contribution)}`;
}

export const TIES = {
  id: "tied exactly: the ascending id decides",
  first_seen: "tied exactly: the first seen comes first",
  rounding: "rounding decides",
};
