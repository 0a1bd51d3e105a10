import type { AuditEntry } from "../../api/api-types.ts";
import type { SearchValues } from "../../frame/search-state.ts";
import { type Column, DataTable, type DataTableProps } from "../../parts/data-table.tsx";
import { CardLines } from "../../parts/table-cards.tsx";
import { Time } from "../../parts/time.tsx";
import { useHref } from "../../parts/use-href.ts";
import { didWhat, whoOf } from "./action-words.ts";
import styles from "./audit.module.css";
import { EntryDetail } from "./entry-detail.tsx";

interface AuditTableProps extends Pick<DataTableProps<AuditEntry>, "rows" | "footer" | "empty"> {
  /** What the address of the page holds. A row adds or removes `entry`. */
  search: SearchValues;
  onFilter: (changes: SearchValues) => void;
}

/** A row opens below itself, and the address of the page then names it. */
export function AuditTable({ search, onFilter, ...table }: AuditTableProps) {
  const href = useHref();
  const isOpen = ({ id }: AuditEntry) => id === search.entry;
  const columns: Column<AuditEntry>[] = [
    {
      key: "who",
      header: "Who",
      width: 250,
      cell: (entry) => <b className={styles.who}>{whoOf(entry)}</b>,
      title: whoOf,
    },
    {
      key: "what",
      header: "Did what",
      cell: didWhat,
      title: didWhat,
      filter: ({ target }) => {
        const wanted = target.id ?? target.name;
        return wanted === null ? undefined : () => onFilter({ target: wanted, target_kind: target.kind });
      },
    },
    {
      key: "from",
      header: "From",
      width: 130,
      quiet: true,
      hideBelow: 1000,
      cell: ({ address }) => address ?? "",
    },
    { key: "at", header: "When", width: 124, align: "right", quiet: true, cell: ({ at }) => <Time at={at} /> },
  ];
  return (
    <DataTable
      label="Audit"
      columns={columns}
      rowKey={({ id }) => id}
      rowHref={(entry) => href("/audit", { ...search, entry: isOpen(entry) ? undefined : entry.id })}
      rowLabel={(entry) => `${whoOf(entry)} ${didWhat(entry)}`}
      detail={(entry) => (isOpen(entry) ? <EntryDetail entry={entry} /> : undefined)}
      compact={(entry) => (
        <CardLines
          first={<b className={styles.who}>{whoOf(entry)}</b>}
          aside={<Time at={entry.at} />}
          second={<span className={styles.whole}>{didWhat(entry)}</span>}
        />
      )}
      {...table}
    />
  );
}
