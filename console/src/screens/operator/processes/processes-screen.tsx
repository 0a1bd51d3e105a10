import type { Answer } from "../../../api/call.ts";
import { type Column, DataTable } from "../../../parts/data-table.tsx";
import { EmptyState } from "../../../parts/empty-state.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { StatusWord } from "../../../parts/status-word.tsx";
import { CardLines } from "../../../parts/table-cards.tsx";
import { OperatorPage } from "../operator-page.tsx";
import { processesQuery, useOperatorQuery } from "../operator-queries.ts";
import { formatSeconds, secondsAgo } from "../seconds.ts";
import { processLook } from "./process-look.ts";

type Processes = Answer<"GET /api/v1/operator/processes">;
type Process = Processes["processes"][number];
type Chore = Processes["failing_chores"][number];

const columns: Column<Process>[] = [
  { key: "name", header: "Process", cell: ({ name }) => <b className="strong">{name}</b>, title: ({ name }) => name },
  { key: "role", header: "Role", width: 90, quiet: true, cell: ({ role }) => (role === "api" ? "API" : role) },
  { key: "state", header: "State", width: 190, cell: (process) => <StatusWord {...processLook(process)} /> },
  { key: "version", header: "Version", width: 100, cell: ({ version }) => version, hideBelow: 900 },
  {
    key: "seen",
    header: "Heartbeat",
    width: 110,
    align: "right",
    cell: ({ seen_seconds_ago }) => secondsAgo(seen_seconds_ago),
  },
  {
    key: "live",
    header: "Last live claim",
    width: 130,
    align: "right",
    cell: (process) => claimText(process, process.live_claimed_seconds_ago),
  },
  {
    key: "test",
    header: "Last test claim",
    width: 130,
    align: "right",
    quiet: true,
    cell: (process) => claimText(process, process.test_claimed_seconds_ago),
    hideBelow: 1000,
  },
  {
    key: "started",
    header: "Started",
    width: 110,
    align: "right",
    quiet: true,
    cell: ({ started_seconds_ago }) => secondsAgo(started_seconds_ago),
    hideBelow: 800,
  },
];

function claimText({ role }: Process, seconds: number | null): string {
  return role === "api" ? "–" : secondsAgo(seconds);
}

const choreColumns: Column<Chore>[] = [
  { key: "name", header: "Chore", cell: ({ name }) => <span className="mono">{name}</span> },
  {
    key: "state",
    header: "State",
    width: 190,
    cell: ({ overdue }) => <StatusWord status="failed" word={overdue ? "Overdue" : "Fails"} />,
  },
  {
    key: "for",
    header: "For",
    width: 130,
    align: "right",
    cell: ({ failing_seconds }) => formatSeconds(failing_seconds),
  },
];

/** API processes and workers by their last heartbeat. */
export function ProcessesScreen() {
  const query = useOperatorQuery(processesQuery);
  const { processes, failing_chores: chores } = query.data ?? {};
  return (
    <OperatorPage title="Processes" note="of the last hour" query={query}>
      <Panel flush>
        <DataTable
          label="Processes"
          columns={columns}
          rows={processes}
          rowKey={({ id }) => id}
          skeletonRows={3}
          empty={
            <EmptyState title="No process has sent a heartbeat">
              <p>
                Start <code>postern api</code> and <code>postern worker</code>.
              </p>
            </EmptyState>
          }
          compact={(process) => (
            <CardLines
              first={<StatusWord {...processLook(process)} />}
              aside={secondsAgo(process.seen_seconds_ago)}
              second={`${process.role === "api" ? "API" : process.role} ${process.name}`}
              third={`version ${process.version}${process.role === "api" ? "" : `, last live claim ${secondsAgo(process.live_claimed_seconds_ago)}`}`}
            />
          )}
        />
      </Panel>
      {chores === undefined || chores.length === 0 ? null : (
        <Panel heading="Failing chores" count={chores.length} flush>
          <DataTable label="Failing chores" columns={choreColumns} rows={chores} rowKey={({ name }) => name} />
        </Panel>
      )}
    </OperatorPage>
  );
}
