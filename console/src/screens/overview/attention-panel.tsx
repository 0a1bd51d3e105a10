import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconClock } from "@tabler/icons-react";
import { AppLink } from "../../parts/app-link.tsx";
import { ErrorState } from "../../parts/error-state.tsx";
import { Loading } from "../../parts/loading.tsx";
import { Panel } from "../../parts/panel.tsx";
import type { AttentionItem } from "./attention.ts";
import styles from "./overview.module.css";

const looks = {
  bad: { Icon: IconCircleX, colour: "var(--bad)" },
  warn: { Icon: IconAlertTriangle, colour: "var(--warn)" },
  waiting: { Icon: IconClock, colour: "var(--info)" },
};

interface AttentionProps {
  items: AttentionItem[];
  /** False until everything that could need attention was read. */
  isKnown: boolean;
  problem: { error: unknown; retry: () => void } | undefined;
}

export function AttentionPanel({ items, isKnown, problem }: AttentionProps) {
  return (
    <Panel heading="Needs attention" count={isKnown ? items.length : undefined} flush>
      {problem !== undefined && <ErrorState error={problem.error} onRetry={problem.retry} />}
      {items.length > 0 && (
        <ul className={styles.list}>
          {items.map((item) => (
            <Item key={item.key} item={item} />
          ))}
        </ul>
      )}
      {items.length === 0 && isKnown && (
        <p className={styles.calm}>
          <IconCircleCheck size={15} stroke={1.75} color="var(--good)" aria-hidden="true" />
          No problems found.
        </p>
      )}
      {!isKnown && problem === undefined && <Loading label="Looking for problems" lines={3} />}
    </Panel>
  );
}

function Item({ item: { kind, title, text, step } }: { item: AttentionItem }) {
  const { Icon, colour } = looks[kind];
  return (
    <li className={styles.item}>
      <Icon size={18} stroke={1.75} color={colour} aria-hidden="true" />
      <div>
        <b>{title}</b>
        <p>{text}</p>
        <AppLink href={step.href}>{step.label}</AppLink>
      </div>
    </li>
  );
}
