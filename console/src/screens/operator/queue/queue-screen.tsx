import { type Column, DataTable } from "../../../parts/data-table.tsx";
import { formatNumber } from "../../../parts/format-number.ts";
import { Panel } from "../../../parts/panel.tsx";
import { Snippet } from "../../../parts/snippet.tsx";
import { CardLines } from "../../../parts/table-cards.tsx";
import { OperatorPage } from "../operator-page.tsx";
import { type OperatorStatus, statusQuery, useOperatorQuery } from "../operator-queries.ts";
import { formatSeconds } from "../seconds.ts";
import { FailoversPanel } from "./failovers-panel.tsx";
import { HoldsPanel } from "./holds-panel.tsx";
import styles from "./queue.module.css";

type Mail = OperatorStatus["mail"][number];
type State = keyof Mail["queue"];

const states: [state: State, name: string, meaning: string][] = [
  ["ready", "Ready", "A worker takes the next ones as the rate allows"],
  ["leased", "Being submitted", "A worker talks to SES"],
  ["waiting", "Waiting", "Scheduled, or tried again later"],
  ["in_doubt", "In doubt", "The answer of SES was lost; evidence decides"],
  ["parked", "Parked", "The account, the domain or all mail is on hold"],
];

type Row = { state: State; name: string; meaning: string; live: Mail["queue"][State]; test: Mail["queue"][State] };

function rowsOf(mail: Mail[]): Row[] {
  const of = (mode: Mail["mode"]) => mail.find((each) => each.mode === mode)?.queue;
  const none = { sends: 0, oldest_seconds: null };
  return states.map(([state, name, meaning]) => ({
    state,
    name,
    meaning,
    live: of("live")?.[state] ?? none,
    test: of("test")?.[state] ?? none,
  }));
}

const countText = (sends: number) => `${formatNumber(sends)}${sends >= 10_000 ? " or more" : ""}`;
const ageText = (seconds: number | null) => (seconds === null ? "–" : formatSeconds(seconds));

const columns: Column<Row>[] = [
  { key: "state", header: "State", width: 150, cell: ({ name }) => <b className="strong">{name}</b> },
  { key: "meaning", header: "Meaning", quiet: true, cell: ({ meaning }) => meaning, hideBelow: 1000 },
  { key: "live", header: "Live", width: 120, align: "right", cell: ({ live }) => countText(live.sends) },
  {
    key: "live-age",
    header: "Oldest",
    width: 100,
    align: "right",
    quiet: true,
    cell: ({ live }) => ageText(live.oldest_seconds),
  },
  { key: "test", header: "Test", width: 120, align: "right", cell: ({ test }) => countText(test.sends) },
  {
    key: "test-age",
    header: "Oldest",
    width: 100,
    align: "right",
    quiet: true,
    cell: ({ test }) => ageText(test.oldest_seconds),
  },
];

/** All queued mail by its state, what holds it, and what failovers left in doubt. */
export function QueueScreen() {
  const query = useOperatorQuery(statusQuery);
  const status = query.data;
  return (
    <OperatorPage title="Queue" note="of all accounts, every 5 s" query={query}>
      <Panel heading="Queued sends" flush>
        <DataTable
          label="Queued sends"
          columns={columns}
          rows={status && rowsOf(status.mail)}
          rowKey={({ state }) => state}
          skeletonRows={5}
          compact={({ name, meaning, live, test }) => (
            <CardLines
              first={<b className="strong">{name}</b>}
              aside={`${countText(live.sends)} live, ${countText(test.sends)} test`}
              second={<span className="quiet">{meaning}</span>}
            />
          )}
        />
      </Panel>
      {status && <HoldsPanel status={status} />}
      {status && <FailoversPanel failovers={status.failovers} />}
      <Panel heading="At a shell of the server">
        <div className={styles.commands}>
          <p>Stop all mail; the API still accepts it, and nothing is lost:</p>
          <Snippet code={'postern admin hold --reason "why"'} />
          <p>One send with its attempts in the words of SES:</p>
          <Snippet code="postern admin send show ID" />
        </div>
      </Panel>
    </OperatorPage>
  );
}
