import type { DomainDeps } from "../domains/register-domain.ts";
import type { MovingCell } from "./moving-cell.ts";

/** What each step of a move works with. */
export interface MoveContext {
  source: MovingCell;
  target: MovingCell;
  /** Of the target. */
  domains: DomainDeps;
  account: { id: string; name: string };
  /** Names this run of the command: only the newest run may write in the target. */
  runId: string;
  /** Tells the operator what happens. */
  say: (text: string) => void;
  /** Shows how many rows the current step has written, until the next `say`. */
  onRows: (rows: number) => void;
}
