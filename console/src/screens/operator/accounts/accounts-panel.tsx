import { useState } from "react";
import type { OperatorAccount } from "../../../api/api-types.ts";
import { useSearchState } from "../../../frame/search-state.ts";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { ErrorState } from "../../../parts/error-state.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { SearchBox } from "../../../parts/search-box.tsx";
import { Segments } from "../../../parts/segments.tsx";
import { TableFooter } from "../../../parts/table-footer.tsx";
import { AccountDialog, type AccountDialogName } from "../account/account-dialog.tsx";
import { type AccountSort, accountSorts, accountsQuery, useOperatorQuery } from "../operator-queries.ts";
import styles from "./accounts.module.css";
import { AccountsTable } from "./accounts-table.tsx";

const sortNames: Record<AccountSort, string> = {
  bounce_rate: "Bounces",
  complaint_rate: "Complaints",
  volume: "Volume",
  created: "Oldest",
};

/** The accounts that need a look come first. Order and search are in the address. */
export function AccountsPanel({ limit }: { limit: number }) {
  const [search, setSearch] = useSearchState();
  const sort = accountSorts.find((each) => each === search.sort) ?? "bounce_rate";
  const text = search.search ?? "";
  const after = sort === "created" ? search.before : undefined;
  const accounts = useOperatorQuery(
    accountsQuery({ sort, limit, ...(text === "" ? {} : { search: text }), ...(after === undefined ? {} : { after }) }),
  );
  const [open, setOpen] = useState<{ dialog: AccountDialogName; account: OperatorAccount }>();
  const rows = accounts.data?.accounts;
  const next = accounts.data?.next_after ?? undefined;
  const tools = (
    <div className={styles.tools}>
      <Segments
        label="Order"
        value={sort}
        options={accountSorts.map((value) => ({ value, label: sortNames[value] }))}
        onChange={(value) => setSearch({ sort: value })}
      />
      <div className={styles.search}>
        <SearchBox
          key={text}
          placeholder="Name, address or id"
          initialText={text}
          onSubmit={(value) => setSearch({ search: value === "" ? undefined : value })}
        />
      </div>
    </div>
  );
  return (
    <Panel heading="Accounts" aside={tools} flush>
      {accounts.error !== null && rows === undefined ? (
        <ErrorState error={accounts.error} onRetry={() => void accounts.refetch()} />
      ) : (
        <AccountsTable
          rows={rows}
          sort={sort}
          onSort={(value) => setSearch({ sort: value })}
          skeletonRows={Math.min(limit, 8)}
          onChoose={(dialog, account) => setOpen({ dialog, account })}
          empty={
            text === "" ? (
              <EmptyState title="This installation has no account">
                <p>
                  Make one at a shell of the server: <code>postern admin create-account</code>
                </p>
              </EmptyState>
            ) : (
              <EmptyState title={`No account has “${text}” in its name, the address of a member or its id`} />
            )
          }
          footer={
            <TableFooter
              keys
              {...(sort === "created"
                ? {
                    onPrevious: after === undefined ? undefined : () => history.back(),
                    onNext: next === undefined ? undefined : () => setSearch({ before: next }),
                  }
                : {})}
            >
              {footerText(rows?.length ?? 0, sort, limit)}
            </TableFooter>
          }
        />
      )}
      {open === undefined ? null : <AccountDialog {...open} onClose={() => setOpen(undefined)} />}
    </Panel>
  );
}

function footerText(count: number, sort: AccountSort, limit: number): string {
  const shown = sort !== "created" && count === limit ? `The first ${count}` : `${count}`;
  return `${shown} ${count === 1 ? "account" : "accounts"}. The mark in each bar is the SES review line: 5\u00a0% and 0.1\u00a0%.`;
}
