import { Button } from "@mantine/core";
import { CopyText } from "../../parts/copy.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Snippet } from "../../parts/snippet.tsx";
import { StatusWord } from "../../parts/status-word.tsx";
import type { AdviceRow } from "./advice-rows.ts";
import classes from "./records.module.css";
import { RecordCard } from "./records-panel.tsx";
import { shortName } from "./short-name.ts";

type AdvicePanelProps = {
  rows: AdviceRow[];
  /** Undefined without the permission, or while the domain is not verified. */
  onMailFrom: (() => void) | undefined;
  hasMailFrom: boolean;
};

export function AdvicePanel({ rows, onMailFrom, hasMailFrom }: AdvicePanelProps) {
  return (
    <Panel heading="Advice" count="not needed to send; improves where your mail lands" flush>
      <DataTable
        label="Advice"
        columns={adviceColumns}
        rows={rows}
        rowKey={({ key }) => key}
        detail={(row) => (
          <div className={classes.detail}>
            <div className={classes.line}>
              <p>
                <b>{row.lead}</b> {row.note}
              </p>
              {row.offers === "mail-from" && onMailFrom !== undefined ? (
                <Button onClick={onMailFrom}>{hasMailFrom ? "Change return path" : "Set up return path"}</Button>
              ) : null}
            </div>
            {row.suggestion === undefined ? null : (
              <div className={classes.suggestion}>
                <Snippet code={row.suggestion} label="suggested value" />
              </div>
            )}
          </div>
        )}
        compact={(row) => <RecordCard status={row.status} record={row} />}
      />
    </Panel>
  );
}

const adviceColumns: Column<AdviceRow>[] = [
  { key: "state", header: "State", width: 122, cell: ({ status }) => <StatusWord status={status} /> },
  { key: "type", header: "Type", width: 74, cell: ({ type }) => <span className="mono">{type}</span> },
  {
    key: "name",
    header: "Name",
    width: "36%",
    cell: ({ name }) =>
      name === "" ? (
        <span className="quiet">Return path (MAIL FROM)</span>
      ) : (
        <CopyText value={name} label="name" mono always>
          {shortName(name)}
        </CopyText>
      ),
  },
  {
    key: "value",
    header: "Value",
    cell: ({ value }) => (value === undefined ? null : <CopyText value={value} label="value" mono always />),
  },
];
