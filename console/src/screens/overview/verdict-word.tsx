import { IconAlertTriangle, IconCircleX, IconInfoCircle } from "@tabler/icons-react";
import styles from "./overview.module.css";
import { verdictWord } from "./rate-words.ts";
import type { Verdict } from "./review-distance.ts";

const icons = { quiet: IconInfoCircle, warn: IconAlertTriangle, bad: IconCircleX };

export function VerdictWord({ verdict }: { verdict: Verdict }) {
  const { word, level } = verdictWord(verdict);
  const Icon = icons[level];
  return (
    <span className={styles.verdict} data-level={level}>
      <Icon size={15} stroke={1.75} aria-hidden="true" />
      {word}
    </span>
  );
}
