import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { Domain, DomainDns } from "../../api/api-types.ts";
import { CharacterDiff } from "../../parts/character-diff.tsx";
import { CopyText } from "../../parts/copy.tsx";
import { downloadText } from "../../parts/csv.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import type { PublishedRecord } from "./published-record.ts";
import type { ShownRecord } from "./record-state.ts";
import classes from "./records.module.css";
import { shortName } from "./short-name.ts";
import { toTerraform } from "./terraform.ts";
import { toZoneFile } from "./zone-file.ts";

type RecordsPanelProps = { domain: Domain; dns: DomainDns | undefined; records: ShownRecord[] };

export function RecordsPanel({ domain, dns, records }: RecordsPanelProps) {
  return (
    <Panel heading="Required records" count={nameServers(dns)} aside={<Exports domain={domain} />} flush>
      <DataTable
        label="Required records"
        columns={recordColumns}
        rows={records}
        rowKey={({ type, name }) => `${type} ${name}`}
        detail={(record) => (record.lead === undefined ? undefined : <RecordDetail record={record} />)}
        compact={(record) => <RecordCard status={record.state} record={record} />}
      />
    </Panel>
  );
}

function nameServers(dns: DomainDns | undefined): string | undefined {
  if (dns === undefined || dns.name_servers.length === 0) return undefined;
  const servers = dns.name_servers.join(", ");
  return dns.internal_name_servers ? `name servers ${servers}, in an internal network` : `name servers ${servers}`;
}

export const recordColumns: Column<ShownRecord>[] = [
  { key: "state", header: "State", width: 122, cell: ({ state }) => <StatusWord status={state} /> },
  { key: "type", header: "Type", width: 74, cell: ({ type }) => <span className="mono">{type}</span> },
  {
    key: "name",
    header: "Name",
    width: "36%",
    cell: ({ name }) => (
      <CopyText value={name} label="name" mono always>
        {shortName(name)}
      </CopyText>
    ),
  },
  { key: "value", header: "Value", cell: ({ value }) => <CopyText value={value} label="value" mono always /> },
];

function RecordDetail({ record }: { record: ShownRecord }) {
  return (
    <div className={classes.detail}>
      {record.found === undefined ? null : <CharacterDiff expected={record.value} found={record.found} />}
      <p>
        <b>{record.lead}</b> {record.note}
      </p>
    </div>
  );
}

/** A record on a phone: everything below each other, because a cut value is of no use. */
export function RecordCard(props: {
  status: string;
  record: { type: string; name: string; value?: string | undefined };
}) {
  const { type, name, value } = props.record;
  return (
    <>
      <span className={classes.cardHead}>
        <StatusWord status={props.status} />
        <span className="mono">{type}</span>
      </span>
      {name === "" ? (
        <span className="quiet">Return path (MAIL FROM)</span>
      ) : (
        <CopyText value={name} label="name" mono always />
      )}
      {value === undefined ? null : <CopyText value={value} label="value" mono always />}
    </>
  );
}

function Exports({ domain }: { domain: Domain }) {
  const { domain_name: name } = domain;
  const records: PublishedRecord[] = [...domain.dns_records, ...(domain.mail_from?.records ?? [])];
  const icon = <IconDownload size={15} stroke={1.75} />;
  return (
    <>
      <Button leftSection={icon} onClick={() => downloadText(`${name}.zone`, toZoneFile(name, records))}>
        Zone file
      </Button>
      <Button leftSection={icon} onClick={() => downloadText(`${name}.tf`, toTerraform(name, records))}>
        Terraform
      </Button>
    </>
  );
}
