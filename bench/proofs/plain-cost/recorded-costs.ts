import type { TreeCosts } from "../../cost/measure-tree.ts";

/**
 * What a plain mail cost before headers, tags and attachments, with 400 sends alone: `node bench/cost/measure-tree.ts FOLDER 400` in a
 * checkout of 67f7a1d6acd4. Measure again after a change of bench/cost or of the version of PostgreSQL.
 */
export const recordedCosts: TreeCosts = {
  lone: {
    "accept without a key": {
      walBytes: 3362.7,
      blocks: 37.06,
    },
    "accept with a key": {
      walBytes: 3634.84,
      blocks: 43.21,
    },
    claim: {
      walBytes: 367.47,
      blocks: 34.7,
    },
    settle: {
      walBytes: 371.23,
      blocks: 11.61,
    },
    feedback: {
      walBytes: 1436.79,
      blocks: 44.08,
    },
  },
  batched: {
    "accept without a key": {
      walBytes: 3338.32,
      blocks: 34.56,
    },
    "accept with a key": {
      walBytes: 3632.98,
      blocks: 40.72,
    },
    claim: {
      walBytes: 406.68,
      blocks: 24.25,
    },
    settle: {
      walBytes: 337.51,
      blocks: 12.21,
    },
    feedback: {
      walBytes: 1416.22,
      blocks: 32.04,
    },
  },
};
