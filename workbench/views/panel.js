// Pieces of several views: what lies over a view on demand, tables, a slider with its exact field.
import { fill, h, listen, number, put } from "./common.js";

/** Help and tables over a view, one at a time; closing gives the focus back. toggle(name, title, content()). */
export function overlay() {
  const el = h("div", { class: "wb-over wb-hidden" });
  let [open, from] = [null, null];
  const toggle = (name, title, content) => {
    const was = open;
    open = open === name ? null : name;
    el.classList.toggle("wb-hidden", open === null);
    if (open === null) return from?.isConnected && from.focus({ preventScroll: true });
    if (was === null) from = document.activeElement;
    const close = h("button", { on: { click: () => toggle(name) } }, "Close");
    const box = h("div", { class: "wb-tablebox", tabindex: "0", role: "region", "aria-label": title }, content());
    fill(el, h("div", { class: "wbo-row" }, h("b", { class: "wbo-grow", text: title }), close), box);
    close.focus();
  };
  return { el, toggle, close: () => open !== null && (toggle(open), true) };
}

/** A table: texts, or nodes. The first cell of a row heads it. */
export function grid(head, rows, caption) {
  const cell = (tag, content, scope) => h(tag, { scope }, content);
  const line = (cells) => h("tr", null, cells.map((each, i) => (i ? cell("td", each) : cell("th", each, "row"))));
  const top = head && h("thead", null, h("tr", null, head.map((text) => cell("th", text, "col"))));
  return h("table", null, caption && h("caption", { class: "wb-soft", text: caption }), top, h("tbody", null, rows.map(line)));
}

/** The keys of a view, as [key, what it does] pairs. */
export const keyTable = (pairs) => grid(null, pairs.map(([key, text]) => [h("kbd", { text: key }), text]));

/**
 * A slider beside a field for the exact value. `at`: slider position → value, `from`: the other way.
 * drag(value) while it moves, done(value) when it is let go.
 */
export function knob({ label, min, max, step, at = Number, from = Number, low = 0, high, drag, done }) {
  const range = h("input", { type: "range", min, max, step, "aria-label": label });
  const field = h("input", { type: "number", class: "wbo-number", min: low, max: high, step: "any", "aria-label": `${label}, exact` });
  let now = null;
  const set = (value, dragging = false) => {
    now = value;
    if (!dragging) range.value = from(value);
    if (!dragging || document.activeElement !== field) field.value = String(value);
    put(range, "aria-valuetext", number(value));
  };
  listen(range, "input", () => drag(at(Number(range.value))));
  listen(range, "change", () => done(at(Number(range.value))));
  listen(field, "change", () => (field.value === "" ? set(now) : done(Number(field.value))));
  return { range, field, set };
}
