import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import type { SendRecord } from "../../api/api-types.ts";
import { type SearchValues, stringifySearch, useMode, useSearchState } from "../../frame/search-state.ts";
import { useOpen } from "../../parts/app-link.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatCount, formatNumber } from "../../parts/format-number.ts";
import { formatRelative } from "../../parts/format-time.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { SearchBox } from "../../parts/search-box.tsx";
import { NewRows, TableFooter } from "../../parts/table-footer.tsx";
import { useTick } from "../../parts/use-tick.ts";
import styles from "./activity-screen.module.css";
import { AddressCard } from "./address-card.tsx";
import { NoSendsAtAll, NothingFound } from "./empty-activity.tsx";
import { exportSends } from "./export-sends.ts";
import { FilterMenu, RangeMenu } from "./filter-menus.tsx";
import { statusFor } from "./recipient-status.ts";
import { describeRecognised, recogniseSearch } from "./recognise-search.ts";
import { hasFilter, readFilters, type SendFilters, tokensOf } from "./send-filters.ts";
import { SendsTable } from "./sends-table.tsx";
import { useRecipientEvents } from "./use-address.ts";
import { pageSize, useSends } from "./use-sends.ts";

const noFilters = {
  status: undefined,
  recipient: undefined,
  domain: undefined,
  provider_message_id: undefined,
  tag: undefined,
  range: undefined,
  since: undefined,
  until: undefined,
};

/** All sends of the account in one mode, newest first. */
export function ActivityScreen() {
  const [search, change] = useSearchState();
  const mode = useMode();
  const filters = readFilters(search);
  const sends = useSends(filters, mode, search.before);
  const events = useRecipientEvents(filters.recipient, mode);
  const statusOf = (send: SendRecord) => statusFor(send, filters.recipient, events);
  const { rows } = sends;
  return (
    <>
      <PageHeader
        title="Activity"
        aside={
          <Button
            leftSection={<IconDownload size={15} stroke={1.75} />}
            disabled={rows === undefined || rows.length === 0}
            onClick={() => rows && exportSends(rows, statusOf)}
          >
            Export CSV
          </Button>
        }
      />
      <div className={styles.screen}>
        <Search filters={filters} onChange={change} />
        {filters.recipient !== undefined && (
          <AddressCard key={filters.recipient} address={filters.recipient} mode={mode} />
        )}
        <Panel flush>
          {sends.error === null ? (
            <div className={styles.rows} data-old={sends.isOld || undefined}>
              <SendsTable
                mode={mode}
                recipient={filters.recipient}
                rows={rows}
                statusOf={statusOf}
                onFilter={change}
                banner={<New sends={sends} />}
                footer={<Footer sends={sends} filters={filters} before={search.before} onChange={change} />}
                empty={<Empty sends={sends} filters={filters} onChange={change} />}
              />
            </div>
          ) : (
            <ErrorState error={sends.error} onRetry={sends.retry} />
          )}
        </Panel>
      </div>
    </>
  );
}

type Sends = ReturnType<typeof useSends>;
type Change = (changes: SearchValues) => void;

function Search({ filters, onChange }: { filters: SendFilters; onChange: Change }) {
  const [text, setText] = useState("");
  const [isUnknown, setUnknown] = useState(false);
  const open = useOpen();
  const mode = useMode();
  function submit(typed: string) {
    const found = recogniseSearch(typed);
    setUnknown(found.kind === "nothing" && typed !== "");
    if (found.kind === "send")
      open(`/sends/${found.id}${stringifySearch({ mode: mode === "test" ? mode : undefined })}`);
    if (found.kind === "filter") {
      const isTime = found.name === "since" || found.name === "until";
      onChange({ [found.name]: found.value, ...(isTime && { range: undefined }) });
    }
  }
  const hint = text === "" ? "" : describeRecognised(recogniseSearch(text));
  return (
    <div>
      <div className={styles.search}>
        <SearchBox
          placeholder="Address, send id or SES id"
          tokens={tokensOf(filters)}
          onRemove={({ key }) => onChange({ [key]: undefined })}
          onSubmit={submit}
          onType={(typed) => {
            setText(typed);
            if (typed !== "") setUnknown(false);
          }}
          aside={hint === "" ? undefined : <span className={styles.hint}>{hint}</span>}
        />
        <FilterMenu filters={filters} onChange={onChange} />
        <RangeMenu filters={filters} onChange={onChange} />
      </div>
      <p className={styles.unknown} role="status">
        {isUnknown
          ? "This is no address, send id, SES id, domain or status. Subjects and content cannot be searched."
          : ""}
      </p>
    </div>
  );
}

function New({ sends }: { sends: Sends }) {
  useTick();
  const { newCount, isAtLeast, checkedAt, isPollFailing, showNew } = sends;
  const checked = isPollFailing
    ? "The last check failed. Postern tries again."
    : `Checked ${formatRelative(checkedAt)}`;
  return <NewRows count={newCount} isAtLeast={isAtLeast} onShow={showNew} aside={checked} />;
}

/** Cursors lead forward only, so a page remembers the one it came from. After a reload it leads to the newest page. */
const cameFrom = new Map<string, string | undefined>();

interface FooterProps {
  sends: Sends;
  filters: SendFilters;
  before: string | undefined;
  onChange: Change;
}

function Footer({ sends: { rows, nextBefore }, filters, before, onChange }: FooterProps) {
  function next() {
    if (nextBefore === undefined) return;
    cameFrom.set(nextBefore, before);
    onChange({ before: nextBefore });
  }
  return (
    <TableFooter
      keys
      onPrevious={before === undefined ? undefined : () => onChange({ before: cameFrom.get(before) })}
      onNext={nextBefore === undefined ? undefined : next}
    >
      {rows !== undefined &&
        footerText({ count: rows.length, isFirst: before === undefined, isLast: nextBefore === undefined, filters })}
    </TableFooter>
  );
}

function footerText({
  count,
  isFirst,
  isLast,
  filters,
}: {
  count: number;
  isFirst: boolean;
  isLast: boolean;
  filters: SendFilters;
}): string {
  if (isFirst && isLast) return formatCount(count, "send");
  if (!isLast && count < pageSize && hasFilter(filters)) {
    return `${formatNumber(count)} found so far. The search goes on with older sends on the next page`;
  }
  return isFirst ? `The newest ${formatCount(count, "send")}` : `${formatCount(count, "send")} on this page`;
}

function Empty({ sends, filters, onChange }: Omit<FooterProps, "before">) {
  const mode = useMode();
  const { nextBefore } = sends;
  if (sends.isOld) return null;
  if (nextBefore !== undefined) {
    return (
      <EmptyState
        title="Nothing in the 10,000 newest sends"
        action={<Button onClick={() => onChange({ before: nextBefore })}>Search older sends</Button>}
      >
        <p>One request compares 10,000 sends with these filters. Older sends have not been searched yet.</p>
      </EmptyState>
    );
  }
  if (!hasFilter(filters)) return <NoSendsAtAll mode={mode} />;
  return <NothingFound filters={filters} mode={mode} onChange={onChange} onClear={() => onChange(noFilters)} />;
}
