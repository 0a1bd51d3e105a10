import { AppLink } from "../../../parts/app-link.tsx";
import { Facts } from "../../../parts/facts.tsx";
import { formatBytes } from "../../../parts/format-number.ts";
import { Loading } from "../../../parts/loading.tsx";
import { Panel } from "../../../parts/panel.tsx";
import account from "../account/account.module.css";
import { OperatorPage } from "../operator-page.tsx";
import { statusQuery, useOperatorQuery } from "../operator-queries.ts";
import { secondsAgo } from "../seconds.ts";
import { SizeChart } from "./size-chart.tsx";
import { growthText, storageSentence } from "./storage-words.ts";

/** How large the database is, how it grows, and when its disk is full. */
export function StorageScreen() {
  const query = useOperatorQuery(statusQuery);
  const database = query.data?.database;
  return (
    <OperatorPage title="Storage" note="of the database" query={query}>
      {database === undefined ? (
        <Panel>
          <Loading label="Loading the size of the database" lines={4} />
        </Panel>
      ) : (
        <>
          <p className={account.sentence}>{storageSentence(database)}</p>
          <Panel heading="Size, the last 30 days">
            <SizeChart history={database.history} limitBytes={database.limit_bytes} />
          </Panel>
          <Panel heading="Forecast" aside={<AppLink href="/operator/runbook#the-database-is-full">Runbook</AppLink>}>
            <Facts
              labelWidth={130}
              facts={[
                {
                  label: "Size",
                  value:
                    database.bytes === null
                      ? "not measured yet"
                      : `${formatBytes(database.bytes)}, measured ${secondsAgo(database.measured_seconds_ago)}`,
                },
                { label: "Growth", value: growthText(database) },
                {
                  label: "Disk",
                  value:
                    database.limit_bytes === null ? "not set (DATABASE_DISK_GB)" : formatBytes(database.limit_bytes),
                },
              ]}
            />
          </Panel>
        </>
      )}
    </OperatorPage>
  );
}
