import { Button } from "@mantine/core";
import { IconCircle, IconCircleCheck } from "@tabler/icons-react";
import { useRef } from "react";
import { useMay } from "../../api/use-me.ts";
import { AppLink } from "../../parts/app-link.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Snippet } from "../../parts/snippet.tsx";
import { findFirstSteps, type Step, testMailCommand } from "./first-steps.ts";
import styles from "./overview.module.css";

type Domains = Parameters<typeof findFirstSteps>[0]["domains"];

interface FirstStepsProps {
  /** Undefined while unknown. */
  keys: number | undefined;
  domains: Domains | undefined;
  hasTestMail: boolean | undefined;
  hasLiveMail: boolean | undefined;
}

/**
 * Shown until the account has sent live mail. When that happens while the page is open, the list stays with every step done: what stands
 * below it must not move.
 */
export function FirstSteps({ keys, domains, hasTestMail, hasLiveMail }: FirstStepsProps) {
  const shown = useRef<Step[]>(undefined);
  const { write } = useMay();
  if (keys === undefined || domains === undefined || hasTestMail === undefined || hasLiveMail === undefined) {
    return null;
  }
  const steps = findFirstSteps({ keys, domains, hasTestMail, hasLiveMail });
  if (steps !== undefined) shown.current = steps;
  const list = steps ?? shown.current?.map((step) => ({ ...step, isDone: true }));
  if (list === undefined) return null;
  const current = list.find(({ isDone }) => !isDone)?.key;
  const done = list.filter(({ isDone }) => isDone).length;
  return (
    <Panel heading="First steps" count={`${done} of ${list.length} done`} flush>
      <ol className={styles.list}>
        {list.map((step) => (
          <StepLine key={step.key} step={step} isCurrent={step.key === current} canWrite={write} />
        ))}
      </ol>
    </Panel>
  );
}

function StepLine({ step, isCurrent, canWrite }: { step: Step; isCurrent: boolean; canWrite: boolean }) {
  const Icon = step.isDone ? IconCircleCheck : IconCircle;
  const colour = step.isDone ? "var(--good)" : "var(--icon)";
  return (
    <li className={styles.steps} data-done={step.isDone || undefined} data-current={isCurrent || undefined}>
      <Icon size={18} stroke={1.75} color={colour} aria-hidden="true" />
      <div>
        <b>{step.title}</b>
        <span className="visually-hidden">{step.isDone ? ": done" : isCurrent ? ": the next step" : ": not done"}</span>
        {isCurrent && <p>{step.text}</p>}
        {isCurrent && canWrite && step.key === "test-mail" && (
          <div className={styles.command}>
            <Snippet code={testMailCommand(location.origin)} label="command" />
          </div>
        )}
      </div>
      {isCurrent && canWrite && step.step !== undefined && (
        <Button component={AppLink} href={step.step.href} variant="filled">
          {step.step.label}
        </Button>
      )}
    </li>
  );
}
