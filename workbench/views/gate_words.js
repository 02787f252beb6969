// Numbers of the gate in words, as Python says them.
import { number } from "./common.js";

/** Two numbers in four digits, or in full where four digits would make different numbers look alike. */
export function told(a, b) {
  const short = [number(a), number(b)];
  return a === b || short[0] !== short[1] ? short : [String(a), String(b)];
}
