export interface Dice {
  /** A random integer from 0 to `below` - 1. */
  roll(below: number): number;
}

/** mulberry32: the same seed gives the same sequence. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  return {
    roll(below) {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below);
    },
  };
}

/** mulberry32 as numbers from 0 up to 1. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
