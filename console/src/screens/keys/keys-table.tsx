import { ActionIcon, Menu } from "@mantine/core";
import { IconDots, IconRefresh, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { ApiKey } from "../../api/api-types.ts";
import { CopyText } from "../../parts/copy.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { NumberText } from "../../parts/figures.tsx";
import { Tag } from "../../parts/tag.tsx";
import { Time } from "../../parts/time.tsx";
import { WhoChangedItem } from "../../parts/who-changed-link.tsx";
import styles from "./keys.module.css";

export interface KeysTableProps {
  rows: ApiKey[] | undefined;
  sendsToday: (keyId: string) => number | undefined;
  /** Absent for people who may only read. */
  onChoose: ((dialog: "roll" | "revoke", key: ApiKey) => void) | undefined;
  empty: ReactNode;
}

export function KeysTable({ rows, sendsToday, onChoose, empty }: KeysTableProps) {
  const menu = (key: ApiKey) =>
    onChoose && <KeyMenu apiKey={key} onRoll={() => onChoose("roll", key)} onRevoke={() => onChoose("revoke", key)} />;
  const columns: Column<ApiKey>[] = [
    {
      key: "name",
      header: "Name",
      cell: ({ name }) => <b className={styles.name}>{name}</b>,
      title: ({ name }) => name,
    },
    {
      key: "prefix",
      header: "Begins with",
      width: 210,
      cell: ({ key_prefix }) => <CopyText value={key_prefix} label="prefix" mono />,
    },
    { key: "scopes", header: "May", width: 220, cell: Scopes, hideBelow: 900 },
    {
      key: "domain",
      header: "From",
      width: 150,
      quiet: true,
      cell: ({ domain }) => domain ?? "all domains",
      hideBelow: 1100,
    },
    {
      key: "today",
      header: "Sends today",
      width: 96,
      align: "right",
      cell: ({ id }) => <SendsToday count={sendsToday(id)} />,
      hideBelow: 1000,
    },
    {
      key: "used",
      header: "Last used",
      width: 108,
      align: "right",
      cell: ({ last_used_at }) => <Time at={last_used_at} />,
    },
    {
      key: "expires",
      header: "Expires",
      width: 108,
      align: "right",
      cell: ({ expires_at }) => <Time at={expires_at} absolute />,
      hideBelow: 820,
    },
    { key: "actions", header: <span className="visually-hidden">Actions</span>, width: 48, align: "right", cell: menu },
  ];
  return (
    <DataTable
      label="API keys"
      columns={columns}
      rows={rows}
      rowKey={({ id }) => id}
      skeletonRows={3}
      empty={empty}
      compact={(key) => (
        <div className={styles.card}>
          <b className={styles.name}>{key.name}</b>
          {menu(key)}
          <span className="mono">{key.key_prefix}</span>
          <span className={styles.cardTime}>
            used <Time at={key.last_used_at} />
          </span>
        </div>
      )}
    />
  );
}

function Scopes({ scopes }: ApiKey) {
  return (
    <span className={styles.scopes}>
      {scopes.map((scope) => (
        <Tag key={scope}>{scope}</Tag>
      ))}
    </span>
  );
}

function SendsToday({ count }: { count: number | undefined }) {
  return count === undefined ? <span className="quiet">…</span> : <NumberText value={count} />;
}

function KeyMenu({ apiKey, onRoll, onRevoke }: { apiKey: ApiKey; onRoll: () => void; onRevoke: () => void }) {
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${apiKey.name}`}>
          <IconDots size={16} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconRefresh size={15} stroke={1.75} />} onClick={onRoll}>
          Roll…
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={15} stroke={1.75} />} onClick={onRevoke}>
          Revoke…
        </Menu.Item>
        <WhoChangedItem kind="api-key" id={apiKey.id} />
      </Menu.Dropdown>
    </Menu>
  );
}
