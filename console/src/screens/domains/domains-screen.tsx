import { ActionIcon, Button } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ListedDomain } from "../../api/api-types.ts";
import { call } from "../../api/call.ts";
import { useMay } from "../../api/use-me.ts";
import { CopyText } from "../../parts/copy.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { formatCount } from "../../parts/format-number.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Panel } from "../../parts/panel.tsx";
import { RemoveDomainDialog } from "../../parts/remove-domain-dialog.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import { CardLines } from "../../parts/table-cards.tsx";
import { TableFooter } from "../../parts/table-footer.tsx";
import { Time } from "../../parts/time.tsx";
import { useHref } from "../../parts/use-href.ts";
import { AddDomainDialog } from "./add-domain-dialog.tsx";

const pendingMs = 10_000;

export function DomainsScreen() {
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<ListedDomain>();
  const may = useMay();
  const href = useHref();
  const domains = useQuery({
    queryKey: ["domains"],
    queryFn: ({ signal }) => call("GET /api/v1/domains", { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.some(isPending) ? pendingMs : 60_000),
  });
  const rows = domains.data;
  const addButton = (
    <Button variant="filled" leftSection={<IconPlus size={15} stroke={2} />} onClick={() => setAdding(true)}>
      Add domain
    </Button>
  );
  return (
    <>
      <PageHeader title="Domains" aside={may.write && rows !== undefined && rows.length > 0 ? addButton : undefined} />
      {domains.isError && rows === undefined ? (
        <Panel flush>
          <ErrorState error={domains.error} onRetry={() => void domains.refetch()} />
        </Panel>
      ) : (
        <Panel flush>
          {domains.isError ? <ErrorState error={domains.error} onRetry={() => void domains.refetch()} /> : null}
          <DataTable
            label="Domains"
            columns={columns(may.write ? setRemoving : undefined)}
            rows={rows}
            rowKey={({ domain_id }) => String(domain_id)}
            rowHref={({ domain_id }) => href(`/domains/${domain_id}`)}
            copyId={({ domain_name }) => domain_name}
            compact={(domain) => (
              <CardLines
                first={<DomainStatus domain={domain} />}
                aside={<Time at={domain.last_checked_at} empty="not checked yet" />}
                second={<b className="strong">{domain.domain_name}</b>}
                third={`${domain.records_found} of ${domain.records_total} records found`}
              />
            )}
            skeletonRows={4}
            empty={
              <EmptyState title="No domain yet" action={may.write ? addButton : undefined}>
                <p>
                  Postern sends live mail only from a domain that you control.
                  {may.write
                    ? " Add yours, publish four DNS records, and Postern verifies it on its own. Until then, test mode works without a domain."
                    : " A developer or owner of this account can add one."}
                </p>
              </EmptyState>
            }
            footer={
              rows === undefined ? undefined : <TableFooter keys>{formatCount(rows.length, "domain")}</TableFooter>
            }
          />
        </Panel>
      )}
      <AddDomainDialog opened={isAdding} onClose={() => setAdding(false)} />
      <RemoveDomainDialog domain={removing} onClose={() => setRemoving(undefined)} />
    </>
  );
}

function isPending({ verification_status }: ListedDomain): boolean {
  return verification_status === "Pending";
}

function DomainStatus({ domain }: { domain: ListedDomain }) {
  return <StatusWord status={domain.verification_status} />;
}

function columns(onRemove: ((domain: ListedDomain) => void) | undefined): Column<ListedDomain>[] {
  return [
    { key: "status", header: "Status", width: 126, cell: (domain) => <DomainStatus domain={domain} /> },
    {
      key: "domain",
      header: "Domain",
      cell: ({ domain_name }) => <CopyText value={domain_name} label="domain" />,
      title: ({ domain_name }) => domain_name,
    },
    {
      key: "records",
      header: "Records found",
      width: 140,
      cell: ({ records_found, records_total }) => (
        <span className="tabular">
          {records_found} of {records_total}
        </span>
      ),
    },
    {
      key: "checked",
      header: "Last check",
      width: 140,
      quiet: true,
      hideBelow: 900,
      cell: ({ last_checked_at }) => <Time at={last_checked_at} empty="not checked yet" />,
    },
    {
      key: "next",
      header: "Next check",
      width: 140,
      quiet: true,
      hideBelow: 900,
      cell: ({ next_check_at }) => <NextCheck at={next_check_at} />,
    },
    ...(onRemove === undefined
      ? []
      : [
          {
            key: "actions",
            header: <span className="visually-hidden">Actions</span>,
            width: 54,
            align: "right" as const,
            cell: (domain: ListedDomain) => (
              <ActionIcon aria-label={`Remove ${domain.domain_name}`} onClick={() => onRemove(domain)}>
                <IconTrash size={15} stroke={1.75} />
              </ActionIcon>
            ),
          },
        ]),
  ];
}

/** A check that is due runs within seconds; "3 s ago" would look like a missed one. */
function NextCheck({ at }: { at: string }) {
  return Date.parse(at) <= Date.now() ? <span>now</span> : <Time at={at} />;
}
