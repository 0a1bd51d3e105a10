import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconFileText, IconPlayerPlay } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { QuarantineEntry } from "../../../api/api-types.ts";
import { type Column, DataTable } from "../../../parts/data-table.tsx";
import { formatBytes, formatNumber } from "../../../parts/format-number.ts";
import { StatusWord } from "../../../parts/status-word.tsx";
import { Time } from "../../../parts/time.tsx";
import accounts from "../accounts/accounts.module.css";
import { reasonWords } from "./reason-words.ts";

interface QuarantineTableProps {
  rows: QuarantineEntry[] | undefined;
  onChoose: (dialog: "read" | "replay", entry: QuarantineEntry) => void;
  empty: ReactNode;
  footer: ReactNode;
}

export function QuarantineTable({ rows, onChoose, empty, footer }: QuarantineTableProps) {
  const menu = (entry: QuarantineEntry) => <EntryMenu entry={entry} onChoose={(dialog) => onChoose(dialog, entry)} />;
  const reason = (entry: QuarantineEntry) => <StatusWord status="warned" word={reasonWords[entry.reason].word} />;
  const nextTry = ({ next_try_at }: QuarantineEntry) => <Time at={next_try_at} empty="none" />;
  const columns: Column<QuarantineEntry>[] = [
    { key: "id", header: "Id", width: 80, cell: ({ id }) => <span className="mono">{id}</span> },
    { key: "reason", header: "Reason", width: 160, cell: reason },
    {
      key: "meaning",
      header: "Meaning",
      quiet: true,
      cell: (entry) => reasonWords[entry.reason].meaning,
      hideBelow: 1100,
    },
    {
      key: "received",
      header: "Received",
      width: 120,
      align: "right",
      cell: ({ received_at }) => <Time at={received_at} />,
    },
    {
      key: "tries",
      header: "Tries",
      width: 70,
      align: "right",
      cell: ({ tries }) => formatNumber(tries),
      hideBelow: 800,
    },
    { key: "next", header: "Next try", width: 110, align: "right", cell: nextTry },
    {
      key: "size",
      header: "Size",
      width: 90,
      align: "right",
      quiet: true,
      cell: ({ length }) => formatBytes(length),
      hideBelow: 900,
    },
    { key: "actions", header: <span className="visually-hidden">Actions</span>, width: 52, align: "right", cell: menu },
  ];
  return (
    <DataTable
      label="Quarantine"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => String(id)}
      skeletonRows={6}
      empty={empty}
      footer={footer}
      compact={(entry) => (
        <div className={accounts.card}>
          {reason(entry)}
          {menu(entry)}
          <span className="quiet">
            received <Time at={entry.received_at} />
          </span>
          <span className="mono">{entry.id}</span>
        </div>
      )}
    />
  );
}

function EntryMenu({ entry, onChoose }: { entry: QuarantineEntry; onChoose: (dialog: "read" | "replay") => void }) {
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for notification ${entry.id}`}>
          <IconDots size={16} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconFileText size={15} stroke={1.75} />} onClick={() => onChoose("read")}>
          Read the event…
        </Menu.Item>
        <Menu.Item leftSection={<IconPlayerPlay size={15} stroke={1.75} />} onClick={() => onChoose("replay")}>
          Replay…
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
