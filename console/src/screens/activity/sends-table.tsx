import type { SendRecord } from "../../api/api-types.ts";
import { type Mode, type SearchValues, stringifySearch } from "../../frame/search-state.ts";
import { type Column, DataTable, type DataTableProps } from "../../parts/data-table.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import { CardLines } from "../../parts/table-cards.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Time } from "../../parts/time.tsx";
import { addressOf } from "../send/answer-text.ts";
import styles from "./activity-screen.module.css";
import { type ShownStatus, shownRecipient } from "./recipient-status.ts";

interface SendsTableProps extends Pick<DataTableProps<SendRecord>, "rows" | "banner" | "footer" | "empty"> {
  mode: Mode;
  recipient: string | undefined;
  statusOf: (send: SendRecord) => ShownStatus;
  onFilter: (changes: SearchValues) => void;
}

export function SendsTable({ mode, recipient, statusOf, onFilter, ...table }: SendsTableProps) {
  const search = stringifySearch({ mode: mode === "test" ? "test" : undefined });
  const columns: Column<SendRecord>[] = [
    {
      key: "status",
      header: "Status",
      width: 140,
      cell: (send) => <Status shown={statusOf(send)} />,
      title: (send) => (statusOf(send).isOfSend ? "Of the whole send. Open it to see this recipient." : ""),
      filter: (send) => () => onFilter({ status: send.status }),
    },
    {
      key: "recipient",
      header: "Recipient",
      width: "24%",
      cell: (send) => <Recipients send={send} recipient={recipient} />,
      title: (send) => send.to_addresses.join(", "),
      filter: (send) => () => onFilter({ recipient: shownRecipient(send.to_addresses, recipient) }),
      copy: (send) => shownRecipient(send.to_addresses, recipient),
    },
    { key: "subject", header: "Subject", cell: ({ subject }) => subject, copy: ({ subject }) => subject },
    {
      key: "from",
      header: "From",
      width: "19%",
      quiet: true,
      hideBelow: 1000,
      cell: ({ from_address }) => addressOf(from_address),
      title: ({ from_address }) => from_address,
      filter:
        ({ from_address }) =>
        () =>
          onFilter({ domain: addressOf(from_address).replace(/^.*@/, "") }),
      copy: ({ from_address }) => addressOf(from_address),
    },
    {
      key: "accepted",
      header: "Accepted",
      width: 124,
      align: "right",
      quiet: true,
      cell: ({ queued_at }) => <Time at={queued_at} />,
    },
  ];
  return (
    <DataTable
      label="Sends"
      columns={columns}
      rowKey={({ id }) => id}
      rowHref={({ id }) => `/sends/${id}${search}`}
      rowLabel={({ subject }) => subject}
      compact={(send) => (
        <CardLines
          first={<Status shown={statusOf(send)} />}
          aside={<Time at={send.queued_at} />}
          second={<Recipients send={send} recipient={recipient} />}
          third={send.subject}
        />
      )}
      {...table}
    />
  );
}

function Status({ shown: { status, isOfSend } }: { shown: ShownStatus }) {
  return (
    <>
      <StatusWord status={status} /> {isOfSend && <Tag title="The status of the whole send">send</Tag>}
    </>
  );
}

function Recipients({ send: { to_addresses }, recipient }: { send: SendRecord; recipient: string | undefined }) {
  const others = to_addresses.length - 1;
  return (
    <span className={styles.recipients}>
      <span className="cut">{shownRecipient(to_addresses, recipient)}</span>
      {others > 0 && <Tag title={to_addresses.join(", ")}>+{others}</Tag>}
    </span>
  );
}
