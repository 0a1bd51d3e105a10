import { formatPercent } from "../../../parts/format-number.ts";
import { barShare, rateLevel } from "./account-look.ts";
import styles from "./accounts.module.css";

interface RateBarProps {
  rate: number | null;
  lines: { review: number; pause: number };
  digits: number;
}

/** The mark in the middle is the line at which SES reviews a sender. */
export function RateBar({ rate, lines, digits }: RateBarProps) {
  if (rate === null) return <span className="quiet">under 200 outcomes</span>;
  return (
    <span className={styles.rate} data-level={rateLevel(rate, lines)}>
      <span className={styles.bar} aria-hidden="true">
        <i style={{ width: `${barShare(rate, lines) * 100}%` }} />
      </span>
      <span className="tabular">{formatPercent(rate, digits)}</span>
    </span>
  );
}
