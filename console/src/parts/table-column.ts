import type { ReactNode } from "react";

export type Column<Row> = {
  key: string;
  header: ReactNode;
  /** A length, such as 130 or "30%". Columns without one share the rest. */
  width?: number | string;
  align?: "left" | "right";
  cell: (row: Row) => ReactNode;
  /** Full text of a cell that may be cut. Not needed when `cell` returns a string. */
  title?: (row: Row) => string;
  /** Left out when the window is narrower than this. */
  hideBelow?: number;
  /** The content is as wide as the cell: a bar. */
  fill?: boolean;
  /** Secondary text colour. */
  quiet?: boolean;
  /** Actions at the right end of the cell, shown on hover and focus. Return undefined for a row without one. */
  copy?: (row: Row) => string | undefined;
  filter?: (row: Row) => (() => void) | undefined;
  /** Current order, and what a click on the header does. */
  sort?: "ascending" | "descending" | undefined;
  onSort?: () => void;
};
