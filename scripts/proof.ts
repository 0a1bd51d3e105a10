/**
 * A promise with a figure that anyone can repeat. The file `<package>/proofs/<name>.proof.ts` exports it as `proof`. A test
 * runs each proof at its small size, except those in `evidence/proofs-outside-ci.ts`; `npm run prove -- <name>` runs one at full size and
 * records it in docs/evidence.json.
 */
export interface Proof {
  /** The promise in one line. `npm run prove` lists it. */
  promise: string;
  /** Folders and files whose change can break the promise, relative to the repository. The proof's own file counts as well. */
  covers: string[];
  size: { small: number; full: number };
  run(size: number, tools: ProofTools): Promise<Finding>;
}

export interface ProofTools {
  /** A PostgreSQL server with the migrated template. */
  serverUrl: string;
  /** Reports the progress of a long run. */
  progress(message: string): void;
}

export interface Finding {
  /** The measurement with its sample size. */
  figure: string;
  holds: boolean;
}
