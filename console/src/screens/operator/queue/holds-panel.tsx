import { IconCircleCheck } from "@tabler/icons-react";
import { AppLink } from "../../../parts/app-link.tsx";
import { Notice } from "../../../parts/notice.tsx";
import { Panel } from "../../../parts/panel.tsx";
import styles from "../operator.module.css";
import type { OperatorStatus } from "../operator-queries.ts";
import { holdLines } from "./hold-lines.ts";

export function HoldsPanel({ status }: { status: OperatorStatus }) {
  const lines = holdLines(status);
  if (lines.length > 0) {
    return lines.map(({ key, title, text }) => (
      <Notice
        key={key}
        kind="bad"
        title={title}
        action={<AppLink href="/operator/runbook#ses-paused-or-the-quota-used-up">Runbook</AppLink>}
      >
        {text}
      </Notice>
    ));
  }
  return (
    <Panel heading="Holds" flush>
      <p className={styles.calm}>
        <IconCircleCheck size={15} stroke={1.75} color="var(--good)" aria-hidden="true" />
        <span>
          Nothing holds the mail of the installation. Held accounts are in the list of{" "}
          <AppLink href="/operator/accounts">accounts</AppLink>.
        </span>
      </p>
    </Panel>
  );
}
