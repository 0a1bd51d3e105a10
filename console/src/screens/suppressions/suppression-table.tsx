import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import type { Suppression } from "../../api/api-types.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import { CardLines } from "../../parts/table-cards.tsx";
import { Time } from "../../parts/time.tsx";
import { useHref } from "../../parts/use-href.ts";
import { useViewportWidth } from "../../parts/use-viewport-width.ts";
import { WhoChangedIcon, WhoChangedLink } from "../../parts/who-changed-link.tsx";
import classes from "./suppressions.module.css";

type SuppressionTableProps = {
  rows: Suppression[] | undefined;
  /** Undefined without the permission. */
  onLift: ((suppression: Suppression) => void) | undefined;
  empty: ReactNode;
  footer?: ReactNode;
  skeletonRows?: number;
};

export function SuppressionTable({ rows, onLift, empty, footer, skeletonRows = 12 }: SuppressionTableProps) {
  const href = useHref();
  const isPhone = useViewportWidth() <= 640;
  return (
    <DataTable
      label="Suppressed addresses"
      columns={columns(href, onLift)}
      rows={rows}
      rowKey={({ id }) => id}
      rowHref={({ email }) => href("/activity", { recipient: email })}
      copyId={({ email }) => email}
      compact={(entry) => (
        <CardLines
          first={<Reason entry={entry} />}
          aside={<Time at={entry.suppressed_at} />}
          second={<b className="strong">{entry.email}</b>}
        />
      )}
      {...(isPhone && onLift !== undefined
        ? { detail: (entry: Suppression) => <PhoneActions entry={entry} onLift={onLift} /> }
        : {})}
      empty={empty}
      footer={footer}
      skeletonRows={skeletonRows}
    />
  );
}

function Reason({ entry: { reason } }: { entry: Suppression }) {
  switch (reason) {
    case "complaint":
      return <StatusWord status="complained" word="Complaint" />;
    case "manual":
      return <StatusWord status="suppressed" word="Added by hand" />;
    default:
      return <StatusWord status="bounced" word="Hard bounce" />;
  }
}

function PhoneActions({ entry, onLift }: { entry: Suppression; onLift: (entry: Suppression) => void }) {
  return (
    <div style={{ padding: "0 14px 12px" }}>
      <Button fullWidth onClick={() => onLift(entry)}>
        Lift suppression
      </Button>
      <p className={classes.who}>
        <WhoChangedLink kind="suppression" id={entry.email} />
      </p>
    </div>
  );
}

type Href = ReturnType<typeof useHref>;

function columns(href: Href, onLift: SuppressionTableProps["onLift"]): Column<Suppression>[] {
  return [
    { key: "reason", header: "Reason", width: 150, cell: (entry) => <Reason entry={entry} /> },
    { key: "address", header: "Address", cell: ({ email }) => email, copy: ({ email }) => email },
    {
      key: "send",
      header: "Cause or note",
      width: 200,
      hideBelow: 760,
      title: ({ note }) => note ?? "",
      cell: ({ email_id, note, reason }) =>
        email_id === null ? (
          <span className="quiet">{note ?? (reason === "manual" ? "" : "not known")}</span>
        ) : (
          <AppLink href={href(`/sends/${email_id}`)}>Open the send</AppLink>
        ),
    },
    {
      key: "since",
      header: "Since",
      width: 140,
      align: "right",
      quiet: true,
      cell: ({ suppressed_at }) => <Time at={suppressed_at} />,
    },
    ...(onLift === undefined
      ? []
      : [
          {
            key: "lift",
            header: <span className="visually-hidden">Actions</span>,
            width: 110,
            align: "right" as const,
            cell: (entry: Suppression) => (
              <span className={classes.rowActions}>
                <WhoChangedIcon kind="suppression" id={entry.email} label={`Who changed ${entry.email}?`} />
                <Button
                  size="compact-xs"
                  aria-label={`Lift the suppression of ${entry.email}`}
                  onClick={() => onLift(entry)}
                >
                  Lift
                </Button>
              </span>
            ),
          },
        ]),
  ];
}
