// Runs the browser's twin under node: node twin_harness.mjs kernels.js < calls.json > answers.json
// Doubles come in as JSON numbers, which round-trip, and go out as their bytes in base64.
import { readFileSync } from "node:fs";

const source = readFileSync(process.argv[2]).toString("base64");
const twin = await import(`data:text/javascript;base64,${source}`);

const doubles = (numbers) => Float64Array.from(numbers, (number) => (number === null ? NaN : number));
const bytes = (numbers) => Buffer.from(doubles(numbers).buffer).toString("base64");

function fusion(name, call) {
  const Ranks = call.wide ? Int32Array : Int16Array;
  const ranks = call.ranks.map((column) => Ranks.from(column));
  const fused = twin[name]({ ...call, ranks, raw: call.raw?.map(doubles) });
  const { order, ids, scores, contributions, decided, possible } = fused;
  return { order: [...order], ids, decided, bits: bytes([...scores, ...contributions, possible]) };
}

const answers = {
  rrf: (call) => fusion("rrf", call),
  relative_score: (call) => fusion("relativeScore", call),
  dbsf: (call) => fusion("dbsf", call),
  linear: (call) => fusion("linear", call),
  mmr(call) {
    const { picks, steps, changed } = twin.mmr({ ...call, similarity: doubles(call.similarity) });
    const { ids, against, decided } = Object.fromEntries(
      Object.entries({ ids: "id", against: "against", decided: "decided" }).map(([as, key]) => [as, steps.map((s) => s[key])]),
    );
    return { picks, ids, against, decided, changed, bits: bytes(steps.flatMap((s) => [s.relevance, s.redundancy, s.score])) };
  },
  gate(call) {
    const { passed, score, contributions, causes, conditions } = twin.gate(call);
    return {
      passed,
      causes,
      conditions: conditions.map((c) => [c.id, c.passed, c.binding]),
      bits: bytes([score, ...contributions, ...conditions.flatMap((c) => [c.observed, c.limit, c.margin])]),
    };
  },
  verdicts: ({ sentences, floor }) => sentences.map((each) => twin.verdictAt(each, floor)),
  sorted: ({ ids }) => [...ids].sort(twin.compareIds),
  ordered: ({ values }) => [...twin.orderBy(values)],
  dialects: () =>
    Object.entries(twin.DIALECTS).map(([name, { k, rankBase, weights, ties, wholeK, form }]) => {
      return { name, k, rank_base: rankBase, weights, ties, whole_k: wholeK, arithmetic: form.arithmetic };
    }),
  milliseconds(call) {
    const ranks = call.ranks.map((column) => Int16Array.from(column));
    const times = Array.from({ length: 31 }, (_, i) => {
      const start = performance.now();
      twin.rrf({ ...call, ranks, k: 40 + i });
      return performance.now() - start;
    });
    return Math.min(...times);
  },
};

const calls = JSON.parse(readFileSync(0, "utf-8"));
const told = calls.map(([name, call]) => {
  try {
    return answers[name](call);
  } catch (error) {
    if (!error.code) throw error;
    return { code: error.code };
  }
});
process.stdout.write(JSON.stringify(told));
