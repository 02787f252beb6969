// Knobs that move ahead of Python: what is shown while they are dragged, and when an answer is the one waited for.

const PATIENCE = 6000; // ms until a page says that no Python answers

/**
 * Numbered questions to Python. `touch()` on every input; `ask(message)` when a knob is let go; `answered(message)`
 * tells whether the newest question was answered; `refused()` when Python said no. While `open`, what stands in the
 * view is newer than Python's last answer. `late()` is called when nobody answers (a saved page has no Python).
 */
export function asking(send, late) {
  let [turn, done, timer] = [0, 0, null];
  return {
    get open() {
      return turn !== done;
    },
    touch() {
      turn++;
    },
    ask(message) {
      turn++;
      clearTimeout(timer);
      timer = setTimeout(late, PATIENCE);
      send({ ...message, turn });
    },
    answered(message) {
      done = message.turn;
      if (done === turn) clearTimeout(timer);
      return done === turn;
    },
    refused() {
      clearTimeout(timer);
      done = turn;
    },
    close() {
      clearTimeout(timer);
    },
  };
}
