import styles from "./usage.module.css";

/** The length of a figure beside it, against the largest of its column. */
export function ShareBar({ share }: { share: number }) {
  return (
    <span className={styles.share} aria-hidden="true">
      <span style={{ width: `${Math.max(share > 0 ? 1 : 0, share * 100)}%` }} />
    </span>
  );
}
