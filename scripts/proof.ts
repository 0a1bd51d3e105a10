/**
 * A promise with a figure. The file `<package>/proofs/<name>.proof.ts` exports one as `proof`; a test runs it small in
 * every check, `npm run prove -- <name>` runs it at full size.
 */
export interface Proof {
  /** The promise in one line, as `npm run prove` lists it. */
  promise: string;
  size: { small: number; full: number };
  run(size: number, tools: ProofTools): Promise<Finding>;
}

export interface ProofTools {
  /** A PostgreSQL server with the migrated template. */
  serverUrl: string;
  /** Says how far it is, so that nobody wonders whether it hangs. */
  progress(message: string): void;
}

export interface Finding {
  /** What was measured, with its n. */
  figure: string;
  holds: boolean;
}
