import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { type ReactNode, useRef } from "react";
import styles from "./data-table.module.css";
import { Bone } from "./loading.tsx";
import { TableCards } from "./table-cards.tsx";
import type { Column } from "./table-column.ts";
import { TableRow } from "./table-row.tsx";
import { useDelayed } from "./use-delayed.ts";
import { useRowKeys } from "./use-row-keys.ts";
import { useViewportWidth } from "./use-viewport-width.ts";

export type { Column } from "./table-column.ts";

export type DataTableProps<Row> = {
  /** Names the table for screen readers: "Sends". */
  label: string;
  columns: Column<Row>[];
  /** Undefined while the first answer is awaited: skeleton rows of the final height. */
  rows: Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Makes each row a link, and j, k, Enter, c and Escape work. */
  rowHref?: (row: Row) => string;
  /** Name of the link for screen readers; the text of the first cell unless given. */
  rowLabel?: (row: Row) => string;
  /** What "c" copies; the row key unless given. */
  copyId?: (row: Row) => string;
  /** Content below a row, from the second column on. */
  detail?: (row: Row) => ReactNode;
  /** The card of a row on a phone; the first, second and last column unless given. */
  compact?: (row: Row) => ReactNode;
  /** Above the head: <NewRows>. */
  banner?: ReactNode;
  /** Instead of rows when there are none: <EmptyState>. */
  empty?: ReactNode;
  /** Below the rows: <TableFooter>. */
  footer?: ReactNode;
  skeletonRows?: number;
};

/** Rows of 38 px with thin lines. Put it into <Panel flush>. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, rowKey, banner, empty, footer, skeletonRows = 12 } = props;
  const width = useViewportWidth();
  const area = useRef<HTMLDivElement>(null);
  useRowKeys(area, props.rowHref !== undefined);
  const columns = props.columns.filter((column) => column.hideBelow === undefined || width >= column.hideBelow);
  if (rows?.length === 0 && empty !== undefined) {
    return (
      <>
        {banner}
        {empty}
      </>
    );
  }
  if (width <= 640) {
    return (
      <div ref={area}>
        {banner}
        <TableCards {...props} />
        {footer}
      </div>
    );
  }
  return (
    <div ref={area}>
      {banner}
      <table className={styles.table} aria-label={label} aria-busy={rows === undefined}>
        <colgroup>
          {columns.map((column) => (
            <col key={column.key} style={column.width === undefined ? {} : { width: column.width }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={column.key} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows === undefined ? (
            <SkeletonRows count={skeletonRows} columns={columns.length} />
          ) : (
            rows.map((row) => <TableRow key={rowKey(row)} {...props} row={row} columns={columns} />)
          )}
        </tbody>
      </table>
      {footer}
    </div>
  );
}

function HeaderCell<Row>({ column }: { column: Column<Row> }) {
  const Arrow = column.sort === "ascending" ? IconArrowUp : IconArrowDown;
  const content = (
    <>
      {column.header}
      {column.sort && <Arrow size={13} stroke={1.75} aria-hidden="true" />}
    </>
  );
  return (
    <th scope="col" data-align={column.align} aria-sort={column.sort}>
      {column.onSort ? (
        <button type="button" className={styles.sort} onClick={column.onSort}>
          {content}
        </button>
      ) : (
        content
      )}
    </th>
  );
}

function SkeletonRows({ count, columns }: { count: number; columns: number }) {
  const isShown = useDelayed(150);
  return Array.from({ length: count }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the rows never change their order
    <tr key={row}>
      {Array.from({ length: columns }, (_cell, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the cells never change their order
        <td key={column}>{isShown && <Bone width={`${[62, 78, 50, 70][(row + column) % 4]}%`} />}</td>
      ))}
    </tr>
  ));
}
