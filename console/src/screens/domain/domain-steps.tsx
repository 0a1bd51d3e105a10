import type { Domain } from "../../api/api-types.ts";
import { StatusIcon } from "../../parts/status-word.tsx";
import classes from "./domain.module.css";
import type { ShownRecord } from "./record-state.ts";

interface Step {
  title: string;
  note: string;
  status: string;
}

/** What stands between a new domain and its first mail, while it is not verified. */
export function DomainSteps({ domain, records }: { domain: Domain; records: ShownRecord[] }) {
  return (
    <ol className={classes.steps} aria-label="Steps of the verification">
      {stepsOf(domain, records).map(({ title, note, status }) => (
        <li key={title}>
          <StatusIcon status={status} size={18} />
          <span>
            <b>{title}</b>
            <small>{note}</small>
          </span>
        </li>
      ))}
    </ol>
  );
}

function stepsOf(domain: Domain, records: ShownRecord[]): Step[] {
  const [ownership, dkim] = [
    records.filter(({ type }) => type === "TXT"),
    records.filter(({ type }) => type === "CNAME"),
  ];
  const isAllFound = records.every(({ state }) => state === "found");
  return [
    { title: "Ownership", note: noteOf("TXT", ownership), status: worst(ownership) },
    { title: "DKIM", note: noteOf("CNAME", dkim), status: worst(dkim) },
    {
      title: "SES confirms",
      note: isAllFound ? "usually within minutes" : "minutes after DKIM",
      status: isAllFound ? "waiting" : "queued",
    },
    {
      title: "First mail",
      note: domain.verification_status === "Failed" ? "refused until then" : "send a test from here",
      status: "queued",
    },
  ];
}

function noteOf(type: string, records: ShownRecord[]): string {
  const found = records.filter(({ state }) => state === "found").length;
  if (records.length === 1)
    return records[0]?.state === "found" ? `${type} found` : `${type} ${records[0]?.state ?? "unknown"}`;
  return `${found} of ${records.length} found`;
}

function worst(records: ShownRecord[]): string {
  const order = ["wrong", "missing", "unknown", "waiting"] as const;
  return order.find((state) => records.some((record) => record.state === state)) ?? "found";
}
