// What every view shares: elements, words, motion, coalescing, keys, errors, the selection bus, the anywidget adapter.

// Text

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Text with what could hide or reorder it written out, as Python's escaping.visible does. */
export function visible(text) {
  return String(text).replace(HIDDEN, (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** A number in significant digits: the same text as Python's explain.words.number. */
export function number(value, digits = 4) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e6) return String(value);
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  if (places > 9) return value.toExponential(digits - 1).replace(/e([+-])(\d)$/, "e$10$2");
  const text = fixed(value, places);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** toFixed with Python's rule for exact halves: to the even digit. */
export function fixed(value, places) {
  if (Math.abs(value) >= 1e21) return BigInt(value).toString();
  const exact = value.toFixed(100);
  const cut = exact.length - 100 + places;
  const kept = places === 0 ? exact.slice(0, cut - 1) : exact.slice(0, cut);
  const half = /^50*$/.test(exact.slice(cut));
  return half && "02468".includes(kept.at(-1)) ? kept : value.toFixed(places);
}

/** A share of the whole as a percentage without decimals. */
export const share = (value) => `${fixed(value * 100, 0)}%`;

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/** first … tenth, then 11th, 12th … */
export function ordinal(rank) {
  if (rank >= 1 && rank <= 10) return ORDINALS[rank - 1];
  const teen = rank % 100 >= 10 && rank % 100 <= 20;
  return `${rank}${(!teen && { 1: "st", 2: "nd", 3: "rd" }[rank % 10]) || "th"}`;
}

/** 1st, 2nd … : an ordinal for narrow places. */
export const nth = (rank) => {
  const teen = rank % 100 >= 10 && rank % 100 <= 20;
  return `${rank}${(!teen && { 1: "st", 2: "nd", 3: "rd" }[rank % 10]) || "th"}`;
};

export const signed = (value, digits = 4) => `${value < 0 ? "−" : "+"}${number(Math.abs(value), digits)}`;

// Elements

const SVG = "http://www.w3.org/2000/svg";
const VECTOR = new Set(["svg", "path", "line", "circle", "rect", "g", "text", "polyline", "defs", "pattern"]);

/**
 * An element. Children are nodes or text (never markup); null and false are left out.
 * props: class, style (an object; names with "--" too), data (an object), on (an object of listeners), text, or attributes.
 * A listener that throws shows its error in the view.
 */
export function h(tag, props, ...children) {
  const el = VECTOR.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  if (tag === "button") el.type = "button";
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value == null || value === false) continue;
    if (name === "class") el.setAttribute("class", value);
    else if (name === "style") for (const [key, each] of Object.entries(value)) el.style.setProperty(key, each);
    else if (name === "data") Object.assign(el.dataset, value);
    else if (name === "on") for (const [type, act] of Object.entries(value)) listen(el, type, act);
    else if (name === "text") el.textContent = visible(value);
    else if (name === "value" || name === "checked" || name === "disabled") el[name] = value;
    else el.setAttribute(name, value === true ? "" : visible(value));
  }
  add(el, children);
  return el;
}

/** Adds children as h does. */
export function add(el, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child == null || child === false) continue;
    el.append(child instanceof Node ? child : visible(child));
  }
  return el;
}

/** Puts children in the place of what was there. */
export const fill = (el, ...children) => (el.replaceChildren(), add(el, children));

/** Writes text only where it changed. */
export function say(el, text) {
  const shown = visible(text);
  if (el.textContent !== shown) el.textContent = shown;
}

/** Writes an attribute only where it changed; null takes it away. */
export function put(el, name, value) {
  if (value == null || value === false) {
    if (el.hasAttribute(name)) el.removeAttribute(name);
  } else if (el.getAttribute(name) !== String(value)) el.setAttribute(name, value);
}

/** A listener whose errors the view shows. Returns how to take it off. */
export function listen(el, type, act, options) {
  const guarded = (event) => {
    try {
      const answer = act(event);
      if (answer instanceof Promise) answer.catch((error) => complain(el, error));
    } catch (error) {
      complain(el, error);
    }
  };
  el.addEventListener(type, guarded, options);
  return () => el.removeEventListener(type, guarded, options);
}

/** Hands an error to the view that holds the element. */
export function complain(el, error) {
  const shown = el instanceof Element && el.isConnected ? el : document.body;
  shown.dispatchEvent(new CustomEvent("wb-error", { detail: String(error?.message ?? error), bubbles: true }));
}

/** What a view keeps free for errors; `show(title, message)`, an empty message clears it. */
export function errorBox() {
  const el = h("div", { role: "alert" });
  return {
    el,
    show(title, message) {
      const close = h("button", { "aria-label": "Dismiss this error", on: { click: () => fill(el) } }, "Dismiss");
      fill(el, message && h("div", { class: "wb-error" }, h("span", null, h("b", { text: title }), " ", message), close));
    },
  };
}

/** A polite live region: `say` speaks, and says the same thing again when asked twice. */
export function liveRegion() {
  const el = h("div", { class: "wb-heard", "aria-live": "polite", role: "status" });
  return { el, say: (text) => say(el, el.textContent === visible(text) ? `${text}\u00a0` : text) };
}

// Lanes

/** The letter on a lane's colour and pattern. `lane`: {letter, hue, pattern}. */
export function letter(lane) {
  return h("span", { class: "wb-letter", style: { background: paint(lane) }, text: lane.letter });
}

/** A lane's colour under its pattern, as a CSS background. */
export const paint = (lane) => (lane.pattern === "none" ? lane.hue : `${lane.pattern} ${lane.hue}`);

// Buffers

/** A buffer as a typed array, whatever view anywidget or a saved page handed over. */
export function typed(Kind, buffer) {
  if (!buffer) return new Kind(0);
  const bytes = ArrayBuffer.isView(buffer) ? buffer : new Uint8Array(buffer);
  return new Kind(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/** L arrays of n out of one buffer that holds them lane after lane. */
export function columns(Kind, buffer, lanes, n) {
  const flat = typed(Kind, buffer);
  return Array.from({ length: lanes }, (_, lane) => flat.slice(lane * n, (lane + 1) * n));
}

// Motion

/** Whether things may move; asked each time, since a reader can change it. */
export const moves = () => !globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches;

// Sliders

/**
 * Runs the newest value only: a run under way finishes, what came in between is dropped, the last one always runs.
 * `run(value)` may return a promise. With `frames` a run waits for the next animation frame.
 */
export function coalesce(run, { frames = true, failed = (error) => { throw error; } } = {}) {
  let [waiting, busy] = [null, false];
  const next = async () => {
    while (waiting) {
      if (frames) await new Promise((go) => requestAnimationFrame(go));
      const [value] = waiting;
      waiting = null;
      try {
        await run(value);
      } catch (error) {
        failed(error);
      }
    }
    busy = false;
  };
  return (value) => {
    waiting = [value];
    if (!busy) {
      busy = true;
      next();
    }
  };
}

// Keys and lists

/**
 * Keys of a view, heard only while the focus is inside it. `map`: key → act(event), keys as in event.key, letters
 * small. Fields keep what they need: text all, sliders the arrows.
 */
export function keys(root, map) {
  return listen(root, "keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const { target } = event;
    const arrow = key.startsWith("Arrow") || key === "Home" || key === "End";
    if (target.matches("input:not([type=range]):not([type=checkbox]), textarea, [contenteditable=true]")) {
      if (key !== "Escape") return event.stopPropagation();
    } else if (target.matches("input[type=range], select") && arrow) return event.stopPropagation();
    else if (target.matches("button, select, summary, a, [role=tab]") && (key === " " || key === "Enter")) {
      return event.stopPropagation();
    }
    const act = map[key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act(event);
  });
}

/** One tab stop in a list: `items()` gives the elements that can take the focus, `move(to)` sets the stop. */
export function roving(items) {
  return {
    move(to, focus = true) {
      for (const item of items()) put(item, "tabindex", item === to ? "0" : "-1");
      if (focus) to?.focus({ preventScroll: true });
    },
    step(by) {
      const list = items();
      const at = list.findIndex((item) => item.tabIndex === 0);
      this.move(list[Math.min(Math.max(at + by, 0), list.length - 1)]);
    },
  };
}

// Selection

/**
 * What views that share a Selection know together, with no kernel: {selected, pinned, hovered}, ids or null.
 * Each widget's script is a module of its own, so they meet in a global map under the selection's key.
 */
export function bus(key) {
  const rooms = (globalThis[Symbol.for("retrieval-workbench.selection")] ??= new Map());
  if (!rooms.has(key)) rooms.set(key, { now: { selected: null, pinned: null, hovered: null }, heard: new Set() });
  const room = rooms.get(key);
  const mine = new Set();
  return {
    get now() {
      return room.now;
    },
    /** Changes what is known; every view that shares the key hears of it. */
    set(change) {
      const changed = Object.entries(change).filter(([name, value]) => room.now[name] !== value);
      if (changed.length === 0) return;
      room.now = { ...room.now, ...change };
      for (const act of [...room.heard]) act(room.now, Object.fromEntries(changed));
    },
    /** act(now, changed) */
    on(act) {
      mine.add(act);
      room.heard.add(act);
      return () => (mine.delete(act), room.heard.delete(act));
    },
    close() {
      for (const act of mine) room.heard.delete(act);
      if (room.heard.size === 0 && rooms.get(key) === room) rooms.delete(key);
    },
  };
}

// anywidget

/**
 * A view as anywidget wants it. `mount(el, ctx)` → {update(state, buffers), receive?(message, buffers), failed?(),
 * destroy()}: failed() is called when Python refused what the view asked for;
 * ctx = {state, buffers, bus, send(message), motion()}. What throws is said in the view; the last good state stays.
 */
export function view(mount) {
  return {
    render({ model, el }) {
      const errors = errorBox();
      const body = h("div");
      const root = h("div", { class: "wb" }, errors.el, body);
      root.dataset.lmSuppressShortcuts = "true";
      // JupyterLab listens above: a key that nothing here wants is not its command either
      listen(root, "keydown", (event) => {
        if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
      });
      el.append(root);
      listen(root, "wb-error", (event) => errors.show("The view failed:", event.detail));
      const shared = bus(model.get("_selection").key);
      const take = () => {
        const { selected, pinned } = model.get("_selection");
        shared.set({ selected, pinned });
      };
      take();
      const attempt = (act) => {
        try {
          return act();
        } catch (error) {
          errors.show("The view failed:", error.message);
          return null;
        }
      };
      const ctx = {
        state: model.get("_state"),
        buffers: model.get("_buffers"),
        bus: shared,
        send: (message) => model.send(message),
        motion: moves,
      };
      shared.on(({ selected, pinned }) => {
        const told = model.get("_selection");
        if (told.selected === selected && told.pinned === pinned) return;
        model.set("_selection", { ...told, selected, pinned });
        model.save_changes();
      });
      let mounted = attempt(() => mount(body, ctx));
      const redraw = () =>
        attempt(() => {
          const [state, buffers] = [model.get("_state"), model.get("_buffers")];
          if (mounted) mounted.update(state, buffers);
          else mounted = mount(fill(body), { ...ctx, state, buffers });
        });
      const complaint = () => {
        errors.show("Python refused:", model.get("_error"));
        if (model.get("_error")) attempt(() => mounted?.failed?.());
      };
      const receive = (message, buffers) => attempt(() => mounted?.receive?.(message, buffers));
      model.on("change:_state", redraw);
      model.on("change:_selection", take);
      model.on("change:_error", complaint);
      model.on("msg:custom", receive);
      if (model.get("_error")) complaint();
      return () => {
        model.off("change:_state", redraw);
        model.off("change:_selection", take);
        model.off("change:_error", complaint);
        model.off("msg:custom", receive);
        attempt(() => mounted?.destroy());
        shared.close();
        root.remove();
      };
    },
  };
}
