// A sentence's grounding in words and numbers.
import { h, number } from "./common.js";

export const SIGNS = { supported_verbatim: "≡", supported: "✓", partial: "◐", conflict: "≠", unsupported: "✕", not_checkable: "–" };
export const SAID = {
  supported_verbatim: "word for word",
  supported: "supported",
  partial: "partly supported",
  conflict: "in conflict with the evidence",
  unsupported: "not supported",
  not_checkable: "not checkable",
};
const STANDS = ["supported_verbatim", "supported"];

/** Whether two verdicts differ in what they say of a sentence: it stands, it does not, or nobody can tell. */
export const unlike = (a, b) => side(a) !== side(b);
const side = (verdict) => (STANDS.includes(verdict) ? "stands" : verdict === "not_checkable" ? verdict : "falls");

const SCORES = [
  ["union_coverage", "weight of its words in the best two windows"],
  ["idf_coverage", "weight of its words in the best window"],
  ["containment", "share of its words in the best window"],
  ["bigrams", "share of its word pairs"],
  ["lcs", "longest common run of words, gaps allowed"],
  ["ordered", "all words in order, close together"],
];

/** How the run judged the answer as a whole. */
export function outcome({ judge, judged, answerFloor, verdict }) {
  if (judged === null) return verdict.replaceAll("_", " ");
  return `the judge ${judge} gives the answer ${number(judged)}; its floor is ${number(answerFloor)}`;
}

/** Whether F1 fails a sentence only because the passage is long: with the shared terms alone it would reach the floor. */
export function diluted({ f1, both, mine }, floor) {
  return floor > 0 && f1 < floor && (2 * both) / (mine + both) >= floor;
}

/** The most content terms that a passage may hold for F1 to reach the floor on `both` shared ones. */
export const longest = ({ both, mine }, floor) => (2 * both) / floor - mine;

/** The hint under F1; null where dilution is not what happened. `judged`: the verdict by alignment, if known. */
export function hint(overlap, floor, judged) {
  if (!overlap || !diluted(overlap, floor)) return null;
  const held = judged === null ? overlap.precision === 1 : STANDS.includes(judged);
  if (!held) return null;
  const what = judged === null ? "all its words, diluted by a long passage" : "a true sentence diluted by a long passage";
  const room = number(Math.floor(longest(overlap, floor) + 1e-9));
  return `${what}: F1 reaches ${number(floor)} only while the passage has at most ${room} content terms; this one has ${overlap.theirs}.`;
}

/** The panel of the open sentence. */
export function detail({ place, count, sentence, verdict, method, floor, overlap, judged, other, titles, ahead, f1Floor, flag }) {
  const { score, scores, reason, flags } = sentence;
  const shown = score === null ? "no score" : number(score);
  const told = hint(overlap, f1Floor, judged);
  const left = h("div", { class: `wbr-told${method === "f1" ? " wbr-wide" : ""}` },
    h("div", null, h("b", { text: `${SIGNS[verdict]} ${SAID[verdict]}` }), h("span", { class: "wb-soft", text: ` · sentence ${place + 1} of ${count} · ${method} ${shown}, floor ${number(floor)}` })),
    flags.every((each) => each.sentence !== reason) && h("p", { class: ahead ? "wbr-stale" : "", text: reason }),
    other && h("p", { class: unlike(other.verdict, verdict) ? "wbr-differs" : "wb-soft", text: `${unlike(other.verdict, verdict) ? "⇄ By" : "By"} ${other.method}: ${SAID[other.verdict]}, ${other.score === null ? "no score" : number(other.score)}, floor ${number(other.floor)}.` }),
    told && h("p", { class: "wbr-hint", text: `⚠ ${told}` }),
    flags.length > 0 && h("ul", null, flags.map((each) => h("li", null, h("button", { class: `wbr-flag${each.severity === "conflict" ? " wbr-clashing" : ""}`, on: flag(each), text: `${each.severity === "conflict" ? "≠" : "ℹ"} ${each.kind}: ${each.sentence}` })))),
  );
  const bar = (name, value, title) => h("div", { class: "wbr-score", title, data: { score: name, value: String(value) } }, h("span", { text: name }), h("i", null, h("i", { style: { width: `${100 * value}%` } })), h("span", { text: number(value) }));
  const rows = SCORES.filter(([name]) => name in scores).map(([name, title]) => bar(name, scores[name], title));
  const right = h("div", { class: "wbr-overlap" }, overlap ? f1(overlap, bar, titles) : h("p", { class: "wb-soft" }, "It shares no content term with the evidence: F1 is 0."));
  return [left, rows.length > 0 && h("div", { class: "wbr-scores" }, rows), right];
}

function f1(overlap, bar, titles) {
  const { both, mine, theirs, precision, recall, passage } = overlap;
  return [
    bar("f1", overlap.f1, "overlap with a whole passage: the harmonic mean of precision and recall"),
    bar("precision", precision, "share of the sentence's terms that the passage holds"),
    bar("recall", recall, "share of the passage's terms that the sentence holds"),
    h("p", { class: "wb-soft", text: `${both} of the sentence's ${mine} terms, and of the ${theirs} of ${titles[passage]}` }),
  ];
}
