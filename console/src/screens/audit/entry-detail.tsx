import type { AuditEntry } from "../../api/api-types.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { CopyText } from "../../parts/copy.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatFull } from "../../parts/format-time.ts";
import { useHref } from "../../parts/use-href.ts";
import { didWhat, whoOf, wordsOf } from "./action-words.ts";
import styles from "./audit.module.css";
import { type ChangedFact, changedFacts } from "./changed-facts.ts";

/** What the entry means, what changed, and from where. */
export function EntryDetail({ entry }: { entry: AuditEntry }) {
  const href = useHref();
  const { action, actor, target, before, after, address, request_id, reason } = entry;
  const rows = changedFacts(before, after);
  const about = target.id ?? target.name;
  const page = pageOf(entry);
  return (
    <div className={styles.detail}>
      <p className={styles.meaning}>
        <span className={styles.sentence}>
          {whoOf(entry)} {didWhat(entry)}.
        </span>{" "}
        {wordsOf(action).meaning}
      </p>
      {rows.length > 0 && <Changes rows={rows} hasBefore={before !== null} hasAfter={after !== null} />}
      <Facts
        labelWidth={88}
        facts={[
          reason === null ? undefined : { label: "Reason", value: reason },
          { label: "Time", value: <span className="tabular">{formatFull(Date.parse(entry.at))}</span> },
          address === null
            ? undefined
            : { label: "From", value: <CopyText value={address} label="address" mono always /> },
          target.id === null || target.id === target.name
            ? undefined
            : { label: "Target id", value: <CopyText value={target.id} label="target id" mono always /> },
          request_id === null
            ? undefined
            : { label: "Request", value: <CopyText value={request_id} label="request id" mono always /> },
          { label: "Action", value: <span className="mono">{action}</span> },
        ]}
      />
      <p className={styles.links}>
        {page !== undefined && <AppLink href={href(page.path, page.search)}>{page.label}</AppLink>}
        {about !== null && (
          <AppLink href={href("/audit", { target: about, target_kind: target.kind })}>All changes of this</AppLink>
        )}
        {actor.kind === "user" && actor.id !== null && (
          <AppLink href={href("/audit", { actor: actor.name ?? actor.id })}>All by this person</AppLink>
        )}
      </p>
    </div>
  );
}

function pageOf({ target: { kind, id } }: AuditEntry) {
  if (id === null) return undefined;
  switch (kind) {
    case "send":
      return { path: `/sends/${id}`, search: {}, label: "Open the send" };
    case "suppression":
      return { path: "/suppressions", search: { email: id }, label: "Is it suppressed now?" };
    default:
      return undefined;
  }
}

function Changes({ rows, hasBefore, hasAfter }: { rows: ChangedFact[]; hasBefore: boolean; hasAfter: boolean }) {
  const isComparison = hasBefore && hasAfter;
  return (
    <table className={styles.changes} aria-label="Before and after">
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">Field</span>
          </th>
          {hasBefore && <th scope="col">Before</th>}
          {hasAfter && <th scope="col">After</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, before, after, isChanged }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            {hasBefore && <Side value={before} kind={isComparison && isChanged ? "bad" : undefined} />}
            {hasAfter && <Side value={after} kind={isComparison && isChanged ? "good" : undefined} />}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A changed value is marked like a difference in a DNS record. */
function Side({ value, kind }: { value: string | undefined; kind: "good" | "bad" | undefined }) {
  if (value === undefined) return <td className="quiet">not set</td>;
  return <td>{kind === undefined ? value : <mark data-kind={kind}>{value}</mark>}</td>;
}
