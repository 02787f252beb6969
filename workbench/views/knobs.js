// The knobs of a fusion, k and a weight a lane: a slider to drag and a field to type into; and what they ask of Python.
import { h, listen, number, put } from "./common.js";
import { DIALECTS } from "./kernels.js";
import { reads } from "./fusing.js";

/** The slider of k runs by hundredths of a decade, from 0 over 1 to 1000. */
const kAt = (position, whole) => (position === 0 ? (whole ? 1 : 0) : Math.round(10 ** (position / 100)));
const kSlider = (k) => (k < 1 ? 0 : Math.round(100 * Math.log10(k)));

/**
 * A knob. `lane` null stands for k. `now()` gives the present {k, weights}; `drag(change)` runs while it moves,
 * `done(change)` when it is let go. Returns {el, settle(change, dragging)}; settle puts it where a change says.
 */
export function knob({ state, lane, now, drag, done }) {
  const { setting, lanes } = state;
  const none = lane ? lane.column === null || !reads(setting) : setting.k == null;
  if (none) return { el: h("div", { class: "wb-knob" }), settle() {} };
  if (lane && weighed(lanes).every(({ name }) => name !== lane.name)) {
    return { el: h("div", { class: "wb-knob wb-soft" }, `weight of ${lane.weightOf}`), settle() {} };
  }
  const value = ({ k, weights }) => (lane ? weights[lane.column] : k);
  const label = lane ? `weight of ${lane.name}` : "k, the smoothing of reciprocal rank fusion";
  const most = lane ? Math.max(3, 2 * value(now())) : 300;
  const whole = !lane && setting.dialect && DIALECTS[setting.dialect].wholeK;
  const range = h("input", { type: "range", min: 0, max: most, step: lane ? 0.05 : 1, "aria-label": label });
  const field = h("input", { type: "number", class: "wb-number", min: 0, step: "any", "aria-label": `${label}, exact` });
  const changed = (to) => {
    if (!lane) return { ...now(), k: to };
    const weights = [...now().weights];
    for (const each of lanes) if (each.column !== null && each.weightOf === lane.weightOf) weights[each.column] = to;
    return { ...now(), weights };
  };
  const slid = () => changed(lane ? Number(range.value) : kAt(Number(range.value), whole));
  const settle = (change, dragging = false) => {
    if (lane && value(change) > Number(range.max)) range.max = 2 * value(change);
    if (!dragging) range.value = lane ? value(change) : kSlider(value(change));
    if (document.activeElement !== field || !dragging) field.value = String(value(change));
    put(range, "aria-valuetext", number(value(change)));
  };
  listen(range, "input", () => drag(slid()));
  listen(range, "change", () => done(slid()));
  listen(field, "change", () => {
    if (field.value === "") return settle(now());
    drag(changed(Number(field.value)));
    done(changed(Number(field.value)));
  });
  return { el: h("label", { class: "wb-knob" }, lane ? "×" : "k", range, field), settle };
}

/** What a knob depends on besides its value: while this stays the same the knob may stay, with the focus and a drag on it. */
export const knobShape = ({ setting, lanes }) =>
  JSON.stringify([setting.method, setting.dialect, setting.k == null, lanes.map(({ name, column, weightOf }) => [name, column, weightOf])]);

/**
 * Asks Python for one change at a time: while one is under way only the newest is kept, and it is asked next.
 * `answered()` is called with each answer, a refusal too; it tells whether a newer question went out.
 */
export function asker(send) {
  let [under, next] = [false, null];
  return {
    ask(message) {
      if (under) next = message;
      else send(message);
      under = true;
    },
    answered() {
      const message = next;
      next = null;
      under = message !== null;
      if (under) send(message);
      return under;
    },
    get busy() {
      return under;
    },
    get waiting() {
      return next !== null;
    },
  };
}

/** The lanes that carry a weight's knob: further phrasings of a lane share the weight of the first. */
function weighed(lanes) {
  const fused = lanes.filter(({ column }) => column !== null);
  return fused.filter((lane, i) => fused.findIndex(({ weightOf }) => weightOf === lane.weightOf) === i);
}

/** All of a change as Python takes it. */
export function whole({ lanes, setting }, { k, weights }) {
  const own = weighed(lanes).map(({ weightOf, column }) => [weightOf, weights?.[column]]);
  return { ...(k == null ? {} : { k }), ...(weights && reads(setting) ? { weights: Object.fromEntries(own) } : {}) };
}

/** What differs from the setting, as Python takes it; null where nothing does. */
export function asked(state, change) {
  const { setting } = state;
  const all = whole(state, change);
  if (change.k === setting.k) delete all.k;
  if (!change.weights?.some((each, i) => each !== setting.weights[i])) delete all.weights;
  return Object.keys(all).length ? all : null;
}

/** A change in words: `k 12, dense weight 1.5`. */
export function named({ lanes, setting }, { k, weights }) {
  const parts = k == null ? [] : [`k ${number(k)}`];
  for (const { column, name } of lanes) {
    if (column === null || !weights || weights[column] === setting.weights[column]) continue;
    parts.push(`${name} weight ${number(weights[column])}`);
  }
  return parts.join(", ");
}
