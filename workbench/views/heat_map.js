// A heat map of similarities in selection order: a row for each candidate, a column for each pick, on a canvas.
import { fill, h, listen, number, say } from "./common.js";

const LABEL = "Similarities in selection order: a row for each candidate, a column for each pick. Arrows move, Enter opens the two texts.";

/**
 * title(candidate) → its name; open(one, other) is called for a cell. show({n, similarity, order, step, kept, marked,
 * symmetric, similarityOf}): similarity n × n by candidate, order the candidates along both axes.
 */
export function heatMap({ title, open, live }) {
  const canvas = h("canvas", { class: "wbx-map", tabindex: "0", role: "application", "aria-label": LABEL });
  const legend = h("div", { class: "wbx-legend wb-soft" });
  const words = h("div", { class: "wbx-cell" });
  const el = h("div", { class: "wbx-left" }, canvas, legend, words);
  const cells = document.createElement("canvas"); // what stays while a pointer moves
  const pen = canvas.getContext("2d");
  let [shown, cell, painted, most] = [null, null, "", 1];

  const show = (next) => {
    if (shown?.similarity !== next.similarity) {
      most = next.similarity.reduce((a, b) => (Number.isNaN(b) ? a : Math.max(a, Math.abs(b))), 0) || 1;
      describe(next);
    }
    shown = next;
    painted = "";
    paint();
  };

  const describe = ({ similarity, symmetric, similarityOf }) => {
    const swatch = (name, text) => h("span", null, h("i", { class: `wbx-swatch wbx-${name}` }), text);
    fill(legend, swatch("like", `0 … ${number(most, 2)}`), similarity.some((each) => each < 0) && swatch("unlike", "below 0"), !symmetric && swatch("unread", "never read: asymmetric, only [candidate][pick] is"), h("span", { text: similarityOf }));
  };

  const inks = () => {
    const style = getComputedStyle(canvas);
    return { like: style.getPropertyValue("accent-color"), unlike: style.getPropertyValue("outline-color"), edge: style.color };
  };

  const paintCells = (side, sharp, ink) => {
    const { n, similarity, order, step, symmetric } = shown;
    const key = [side, sharp, ...Object.values(ink)].join();
    if (painted === key) return;
    painted = key;
    cells.width = cells.height = canvas.width;
    const brush = cells.getContext("2d");
    brush.setTransform(sharp, 0, 0, sharp, 0, 0);
    const size = side / n;
    const gap = size > 6 ? 0.5 : 0;
    for (let row = 0; row < n; row++) {
      for (let column = 0; column < n; column++) {
        const like = similarity[order[row] * n + order[column]];
        const unread = row === column || Number.isNaN(like) || (!symmetric && column > row);
        // columns that no pick has reached yet are paler
        brush.globalAlpha = unread ? 0.16 : Math.min(1, Math.abs(like) / most) * (column < step ? 1 : 0.45);
        brush.fillStyle = unread ? ink.edge : like < 0 ? ink.unlike : ink.like;
        brush.fillRect(column * size + gap, row * size + gap, size - 2 * gap, size - 2 * gap);
      }
    }
  };

  const paint = () => {
    const side = canvas.clientWidth;
    if (!shown || side === 0) return;
    const { n, step, kept, marked } = shown;
    const sharp = globalThis.devicePixelRatio || 1;
    if (canvas.width !== Math.round(side * sharp)) canvas.width = canvas.height = Math.round(side * sharp);
    const ink = inks();
    paintCells(side, sharp, ink);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(cells, 0, 0);
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    const size = side / n;
    pen.strokeStyle = pen.fillStyle = ink.edge;
    pen.lineWidth = 2;
    if (step > 0) pen.strokeRect((step - 1) * size + 1, 1, Math.max(size - 2, 1), side - 2);
    if (cell) pen.strokeRect(cell[1] * size, cell[0] * size, size, size);
    if (marked !== undefined) for (const x of [0, side - 4]) pen.fillRect(x, marked * size, 4, Math.max(size, 2));
    if (kept >= n) return;
    pen.lineWidth = 1;
    pen.setLineDash([3, 3]);
    pen.beginPath();
    pen.moveTo(0, kept * size);
    pen.lineTo(side, kept * size);
    pen.moveTo(kept * size, 0);
    pen.lineTo(kept * size, side);
    pen.stroke();
    pen.setLineDash([]);
  };

  const said = ([row, column]) => {
    const { n, similarity, order, symmetric } = shown;
    const [a, b] = [order[row], order[column]];
    if (row === column) return `${row + 1}. ${title(a)}: itself, never read`;
    const like = similarity[a * n + b];
    const value = Number.isNaN(like) ? "not recorded" : number(like, 3);
    const unread = column < row || symmetric ? "" : " (never read)";
    return `${value}${unread}: ${row + 1}. ${title(a)} beside ${column + 1}. ${title(b)}`;
  };

  const focused = () => document.activeElement === canvas;
  const point = (next) => {
    if (String(next) === String(cell)) return;
    cell = next;
    paint();
    say(words, cell ? said(cell) : "");
    if (focused() && cell) live.say(words.textContent);
  };
  const under = (event) => {
    const { left, top, width } = canvas.getBoundingClientRect();
    const at = [event.clientY - top, event.clientX - left].map((from) => Math.floor((from / width) * shown.n));
    return at.every((each) => each >= 0 && each < shown.n) ? at : null;
  };
  const enter = (at) => at && open(shown.order[at[0]], shown.order[at[1]]);

  listen(canvas, "mousemove", (event) => point(under(event)));
  listen(canvas, "mouseleave", () => focused() || point(null));
  listen(canvas, "click", (event) => enter(under(event)));
  listen(canvas, "focus", () => point(cell ?? [Math.min(1, shown.n - 1), 0]));
  listen(canvas, "blur", () => point(null));
  // pixels do not follow the host's theme by themselves; its ink changes by a short transition, whose end is heard
  // two frames later, since JupyterLab hides the page between two themes
  const later = () => requestAnimationFrame(() => requestAnimationFrame(paint));
  for (const type of ["transitionend", "transitioncancel"]) listen(canvas, type, later);
  return {
    el,
    show,
    focused,
    move([down, right]) {
      const held = (at) => Math.min(Math.max(at, 0), shown.n - 1);
      const [row, column] = cell ?? [0, 0];
      point([held(row + down), held(column + right)]);
    },
    open: () => enter(cell),
  };
}
