// Knobs that move ahead of Python: what is shown while they are dragged, and when an answer is the one waited for.

const PATIENCE = 6000; // ms until a page says that no Python answers

/**
 * Numbered questions to Python, one at a time: while one is under way only the newest is kept, and asked next.
 * `touch()` on every input; `ask(message)` when a knob is let go; `answered(message)` tells whether nothing newer is
 * open; `refused()` when Python said no; `drop()` when an input came to nothing. While `open`, what stands in the view
 * is newer than Python's last answer. `late()` is called when nobody answers (a saved page has no Python).
 */
export function asking(send, late) {
  let [turn, done, timer] = [0, 0, null];
  let [busy, next] = [false, null];
  const go = (message) => {
    busy = true;
    timer = setTimeout(() => {
      [busy, next] = [false, null];
      late();
    }, PATIENCE);
    send(message);
  };
  const settled = () => {
    clearTimeout(timer);
    const message = next;
    [busy, next] = [false, null];
    if (message) go(message);
  };
  const drop = () => {
    if (!busy) done = turn;
  };
  return {
    get open() {
      return turn !== done;
    },
    touch() {
      turn++;
    },
    ask(message) {
      turn++;
      if (busy) next = { ...message, turn };
      else go({ ...message, turn });
    },
    answered(message) {
      done = message.turn;
      settled();
      return done === turn;
    },
    refused() {
      settled();
      drop();
    },
    drop,
    close() {
      clearTimeout(timer);
    },
  };
}
