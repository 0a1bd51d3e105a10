import { IconFilter } from "@tabler/icons-react";
import { type MouseEvent, type ReactNode, useState } from "react";
import { AppLink, useOpen } from "./app-link.tsx";
import { CopyButton } from "./copy.tsx";
import styles from "./data-table.module.css";
import type { Column } from "./table-column.ts";

type TableRowProps<Row> = {
  row: Row;
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
  rowHref?: (row: Row) => string;
  rowLabel?: (row: Row) => string;
  copyId?: (row: Row) => string;
  detail?: (row: Row) => ReactNode;
};

/**
 * The link in the first cell is stretched over the row. Cell texts stand above it, so that they can be selected and show
 * their title; a click on them opens the row as well.
 */
export function TableRow<Row>({ row, columns, rowKey, rowHref, rowLabel, copyId, detail }: TableRowProps<Row>) {
  const open = useOpen();
  const href = rowHref?.(row);
  const below = detail?.(row) ?? undefined;
  function openRow(event: MouseEvent) {
    if (href === undefined || isOwnControl(event.target) || window.getSelection()?.isCollapsed === false) return;
    if (event.metaKey || event.ctrlKey || event.button === 1) window.open(href, "_blank", "noopener");
    else if (event.button === 0) open(href);
  }
  return (
    <>
      <tr
        data-row=""
        data-link={href === undefined ? undefined : ""}
        data-open={below === undefined ? undefined : ""}
        onClick={openRow}
        onAuxClick={openRow}
      >
        {columns.map((column, index) => (
          <td key={column.key} data-align={column.align} data-quiet={column.quiet || undefined}>
            {index === 0 && href !== undefined ? (
              <FirstCell href={href} label={rowLabel?.(row)} id={copyId?.(row) ?? rowKey(row)}>
                <CellText column={column} row={row} />
              </FirstCell>
            ) : (
              <CellText column={column} row={row} />
            )}
            <CellActions column={column} row={row} />
          </td>
        ))}
      </tr>
      {below !== undefined && (
        <tr className={styles.detail}>
          <td />
          <td colSpan={columns.length - 1}>{below}</td>
        </tr>
      )}
    </>
  );
}

function isOwnControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest("a, button:not([data-time]), input, [role=menu]") !== null;
}

type FirstCellProps = { href: string; label: string | undefined; id: string; children: ReactNode };

function FirstCell({ href, label, id, children }: FirstCellProps) {
  const [hasFocus, setFocus] = useState(false);
  return (
    <span className={styles.first}>
      <AppLink
        className={styles.link}
        href={href}
        data-row-link=""
        aria-label={label}
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
      >
        {children}
      </AppLink>
      {hasFocus && (
        <span className={styles.copyId} data-copy-id="">
          <CopyButton value={id} label="id" always />
        </span>
      )}
    </span>
  );
}

function CellText<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const content = column.cell(row);
  const title = column.title?.(row) ?? (typeof content === "string" ? content : undefined);
  return (
    <span className={styles.text} data-fill={column.fill || undefined} title={title}>
      {content}
    </span>
  );
}

function CellActions<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const copied = column.copy?.(row);
  const filter = column.filter?.(row);
  if (copied === undefined && filter === undefined) return null;
  const name = typeof column.header === "string" ? column.header.toLowerCase() : column.key;
  return (
    <span className={styles.actions}>
      {filter !== undefined && (
        <button type="button" title={`Filter by this ${name}`} aria-label={`Filter by this ${name}`} onClick={filter}>
          <IconFilter size={14} stroke={1.75} aria-hidden="true" />
        </button>
      )}
      {copied !== undefined && <CopyButton value={copied} label={name} always />}
    </span>
  );
}
