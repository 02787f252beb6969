// Terms in the air: from their place in a lane to the end of their candidate's bar.
import { h, number, paint, say } from "./common.js";
import { LINE } from "./player_stage.js";

export class Flight {
  constructor(player) {
    this.player = player;
    this.flying = new Set();
  }

  /**
   * The terms that `frame` adds fly, in `time` ms, from their chip to the end of their candidate's bar; `scale` is the
   * total that fills a bar. When they land the rows are put in order.
   */
  fly(frame, scale, time) {
    const { player } = this;
    const { reel, stage, boards } = player;
    const lane = reel.filled.find((each) => each.column === frame.moving);
    const at = reel.filled.indexOf(lane);
    const ground = boards.getBoundingClientRect();
    const list = stage.list.getBoundingClientRect();
    frame.rows.forEach((row, i) => {
      const chip = stage.chips.get(`${lane.column} ${row}`)?.getBoundingClientRect();
      if (!chip || (frame.rank && reel.given.ranks[lane.column][row] !== frame.rank)) return;
      const made = stage.lines.get(row);
      const track = made.bar.getBoundingClientRect();
      const term = reel.term(row, lane.column);
      const before = frame.totals[i] - term;
      const start = { x: chip.left - ground.left, y: chip.top - ground.top };
      const end = { x: track.left - ground.left + (track.width * before) / scale, y: list.top - ground.top + made.slot * LINE + 7 };
      const text = reel.formula(lane.column, row, term);
      const style = { width: `${Math.max(6, (track.width * term) / scale)}px`, background: paint(lane) };
      const el = h("div", { class: "wbp-flying", "aria-hidden": "true", style }, h("span", { text }));
      made.segments[at].classList.add("wbp-awaited");
      boards.append(el);
      const path = [start, end].map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` }));
      const flight = el.animate(path, { duration: time, easing: "cubic-bezier(.4,0,.2,1)", fill: "both" });
      this.flying.add({ el, flight, segment: made.segments[at], made, to: frame.totals[i] });
      this.countUp(made.total, before, frame.totals[i], time);
    });
    this.landing = setTimeout(() => this.land(), time);
  }

  countUp(el, from, to, time) {
    const start = performance.now();
    const final = number(to);
    const tick = (now) => {
      if (el.wbpTo !== to) return;
      const part = Math.min(1, (now - start) / time);
      say(el, part === 1 ? final : number(from + (to - from) * part));
      if (part === 1) return;
      requestAnimationFrame(tick);
    };
    el.wbpTo = to;
    requestAnimationFrame(tick);
  }

  /** Ends what is in the air, so that the next frame starts from where things belong. */
  land() {
    clearTimeout(this.landing);
    if (this.flying.size === 0) return;
    for (const { el, flight, segment, made, to } of this.flying) {
      flight.cancel();
      el.remove();
      segment.classList.remove("wbp-awaited");
      made.total.wbpTo = undefined;
      say(made.total, number(to));
    }
    this.flying.clear();
    this.player.arrange();
  }
}
