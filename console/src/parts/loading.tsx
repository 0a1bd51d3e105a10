import styles from "./loading.module.css";
import { useDelayed } from "./use-delayed.ts";

/** One grey bar, for a value that has not arrived. */
export function Bone({ width = "60%", height = 10 }: { width?: number | string; height?: number }) {
  return <span className={styles.bone} style={{ width, height }} />;
}

export type LoadingProps = { label?: string; lines?: number; height?: number };

/** Stands where content will be. It shows nothing for 150 ms, then lines of the given count. */
export function Loading({ label = "Loading", lines = 3, height }: LoadingProps) {
  const isShown = useDelayed(150);
  return (
    <div className={styles.block} style={{ minHeight: height ?? lines * 24 + 28 }} role="status">
      <span className="visually-hidden">{label}</span>
      {isShown &&
        Array.from({ length: lines }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change their order
          <Bone key={line} width={`${[72, 54, 63, 40][line % 4]}%`} />
        ))}
    </div>
  );
}
