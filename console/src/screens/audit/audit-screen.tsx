import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import type { AuditEntry } from "../../api/api-types.ts";
import { download } from "../../api/download.ts";
import { useMay } from "../../api/use-me.ts";
import { type SearchValues, useSearchState } from "../../frame/search-state.ts";
import { saveFile } from "../../parts/csv.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatCount } from "../../parts/format-number.ts";
import { notifyFailed } from "../../parts/notify.ts";
import { OwnersOnly } from "../../parts/owners-only.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { TableFooter } from "../../parts/table-footer.tsx";
import styles from "./audit.module.css";
import { AuditFilterBar } from "./audit-filter-bar.tsx";
import { type AuditFilters, describeSearch, hasFilter, noFilters, readFilters, toQuery } from "./audit-filters.ts";
import { AuditTable } from "./audit-table.tsx";
import { pageSize, useAudit } from "./use-audit.ts";

export function AuditScreen() {
  if (!useMay().manage) return <OwnersOnly title="Audit" shows="who did what in the account, when and from where" />;
  return <Audit />;
}

/** Who did what, newest first. */
function Audit() {
  const [search, change] = useSearchState();
  const filters = readFilters(search);
  const audit = useAudit(filters, search.before);
  const filter = (changes: SearchValues) => change({ entry: undefined, ...changes });
  return (
    <>
      <PageHeader title="Audit" aside={<ExportButton filters={filters} />} />
      <p className={styles.intro}>
        Every change, log-in and look at a mail, by whom and from where. Entries never change, and nobody can delete
        one.
      </p>
      <div className={styles.screen}>
        <AuditFilterBar filters={filters} nameOfTarget={nameOfTarget(filters, audit.rows)} onChange={filter} />
        <Panel flush>
          {audit.error === null ? (
            <div className={styles.rows} data-old={audit.isOld || undefined}>
              <AuditTable
                search={search}
                rows={audit.rows}
                onFilter={filter}
                footer={<Footer audit={audit} filters={filters} before={search.before} onChange={filter} />}
                empty={<Empty audit={audit} filters={filters} onChange={filter} />}
              />
            </div>
          ) : (
            <ErrorState error={audit.error} onRetry={audit.retry} />
          )}
        </Panel>
      </div>
    </>
  );
}

function nameOfTarget({ target }: AuditFilters, rows: AuditEntry[] | undefined): string | undefined {
  return rows?.find((row) => row.target.id === target)?.target.name ?? undefined;
}

type Audited = ReturnType<typeof useAudit>;
type Change = (changes: SearchValues) => void;

/** Cursors lead forward only, so a page remembers the one it came from. After a reload it leads to the newest page. */
const cameFrom = new Map<string, string | undefined>();

interface FooterProps {
  audit: Audited;
  filters: AuditFilters;
  before: string | undefined;
  onChange: Change;
}

function Footer({ audit: { rows, nextBefore }, filters, before, onChange }: FooterProps) {
  const pages = {
    onPrevious: before === undefined ? undefined : () => onChange({ before: cameFrom.get(before) }),
    onNext:
      nextBefore === undefined
        ? undefined
        : () => {
            cameFrom.set(nextBefore, before);
            onChange({ before: nextBefore });
          },
  };
  const isOnly = before === undefined && nextBefore === undefined;
  return (
    <TableFooter keys {...(isOnly ? {} : pages)}>
      {rows !== undefined && footerText(rows.length, { isOnly, isFirst: before === undefined, nextBefore, filters })}
    </TableFooter>
  );
}

interface Position {
  isOnly: boolean;
  isFirst: boolean;
  nextBefore: string | undefined;
  filters: AuditFilters;
}

function footerText(count: number, { isOnly, isFirst, nextBefore, filters }: Position): string {
  const entries = formatCount(count, "entry", "entries");
  if (isOnly) return entries;
  if (nextBefore !== undefined && count < pageSize && hasFilter(filters)) {
    return `${entries} so far. The search goes on with older entries on the next page`;
  }
  return isFirst ? `The newest ${entries}` : `${entries} on this page`;
}

function Empty({ audit, filters, onChange }: Omit<FooterProps, "before">) {
  const { nextBefore } = audit;
  if (audit.isOld) return null;
  if (nextBefore !== undefined) {
    return (
      <EmptyState
        title="Nothing in the 200,000 newest entries"
        action={<Button onClick={() => onChange({ before: nextBefore })}>Search older entries</Button>}
      >
        <p>Older entries have not been compared with these filters yet.</p>
      </EmptyState>
    );
  }
  if (!hasFilter(filters)) {
    return (
      <EmptyState title="No entries">
        <p>Changes and log-ins of this account appear here as soon as they happen.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={describeSearch(filters)}
      action={<Button onClick={() => onChange(noFilters)}>Clear filters</Button>}
    >
      <p>
        {filters.target === undefined
          ? "Choose fewer filters or a longer time."
          : "Postern compares the whole name or id, in any case of letters. Parts of a name are not found. Bounces and complaints that suppress an address have no entry."}
      </p>
    </EmptyState>
  );
}

function ExportButton({ filters }: { filters: AuditFilters }) {
  const [isExporting, setExporting] = useState(false);
  const exportAll = async () => {
    setExporting(true);
    try {
      const { limit: _, ...query } = toQuery(filters);
      const file = await download("/api/v1/audit/export", { format: "csv", ...query });
      // The byte order mark makes Excel read UTF-8.
      saveFile("audit.csv", new Blob(["\ufeff", file], { type: "text/csv;charset=utf-8" }));
    } catch (error) {
      notifyFailed(error);
    } finally {
      setExporting(false);
    }
  };
  return (
    <Button
      leftSection={<IconDownload size={15} stroke={1.75} />}
      loading={isExporting}
      onClick={() => void exportAll()}
    >
      Export CSV
    </Button>
  );
}
