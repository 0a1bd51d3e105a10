import { IconAlertTriangle, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { AppLink } from "../../../parts/app-link.tsx";
import { Loading } from "../../../parts/loading.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { Snippet } from "../../../parts/snippet.tsx";
import { InlineCode } from "../inline-code.tsx";
import styles from "../operator.module.css";
import type { OperatorStatus } from "../operator-queries.ts";
import list from "./problem-list.module.css";
import { adviceText, splitProblem } from "./problem-words.ts";

type Problem = OperatorStatus["problems"][number];

/** What `postern status` prints: each problem, the next step, and the command for it. */
export function ProblemList({ problems }: { problems: Problem[] | undefined }) {
  if (problems === undefined) {
    return (
      <Panel heading="Problems">
        <Loading label="Looking for problems" lines={3} />
      </Panel>
    );
  }
  const heading =
    problems.length === 0 ? "Problems" : `${problems.length} ${problems.length === 1 ? "problem" : "problems"}`;
  return (
    <Panel heading={heading} flush>
      {problems.length === 0 ? (
        <p className={styles.calm}>
          <IconCircleCheck size={15} stroke={1.75} color="var(--good)" aria-hidden="true" />
          No problems found.
        </p>
      ) : (
        <ul className={list.list}>
          {problems.toSorted(mailFirst).map((problem) => (
            <Item key={problem.what} problem={problem} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function mailFirst(one: Problem, other: Problem): number {
  return Number(other.stops_mail) - Number(one.stops_mail);
}

function Item({ problem }: { problem: Problem }) {
  const { what, command, runbook, tenant_id, stops_mail } = problem;
  const { title, rest } = splitProblem(what);
  const Icon = stops_mail ? IconCircleX : IconAlertTriangle;
  return (
    <li className={list.item}>
      <Icon size={18} stroke={1.75} color={stops_mail ? "var(--bad)" : "var(--warn)"} aria-hidden="true" />
      <div className={list.words}>
        <b>{title}</b> {rest}
        <p>
          <InlineCode text={adviceText(problem)} />{" "}
          {tenant_id !== null && (
            <>
              <AppLink href={`/operator/accounts/${tenant_id}`}>Account</AppLink>{" "}
            </>
          )}
          {runbook !== null && <AppLink href={`/operator/runbook#${runbook}`}>Runbook</AppLink>}
        </p>
      </div>
      {command !== null && <Snippet code={command} />}
    </li>
  );
}
