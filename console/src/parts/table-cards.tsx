import { type ReactNode, useId } from "react";
import { AppLink } from "./app-link.tsx";
import styles from "./data-table.module.css";
import type { DataTableProps } from "./data-table.tsx";
import { Bone } from "./loading.tsx";
import { useDelayed } from "./use-delayed.ts";

/** The rows on a phone: a list of cards, each one a link. */
export function TableCards<Row>(props: DataTableProps<Row>) {
  const { label, rows, rowKey, rowHref, compact, detail, skeletonRows = 8 } = props;
  return (
    <ul className={styles.cards} aria-label={label} aria-busy={rows === undefined}>
      {rows === undefined ? (
        <SkeletonCards count={skeletonRows} />
      ) : (
        rows.map((row) => (
          <li key={rowKey(row)} data-row="">
            <CardLink href={rowHref?.(row)}>{compact?.(row) ?? <DefaultCard {...props} row={row} />}</CardLink>
            {detail?.(row)}
          </li>
        ))
      )}
    </ul>
  );
}

/** The link covers the card, so that the content may hold buttons of its own. */
function CardLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const id = useId();
  return (
    <div className={styles.card}>
      <div id={id} className={styles.cardContent}>
        {children}
      </div>
      {href !== undefined && <AppLink className={styles.cardLink} href={href} data-row-link="" aria-labelledby={id} />}
    </div>
  );
}

function DefaultCard<Row>({ columns, row }: DataTableProps<Row> & { row: Row }) {
  const [first, second] = columns;
  const last = columns.length > 2 ? columns.at(-1) : undefined;
  return <CardLines first={first?.cell(row)} aside={last?.cell(row)} second={second?.cell(row)} />;
}

/** Two lines of a card: for the `compact` of a table. */
export function CardLines(props: { first: ReactNode; aside?: ReactNode; second?: ReactNode; third?: ReactNode }) {
  return (
    <>
      <span className={styles.cardLine}>
        <span className={`${styles.cardFirst} cut`}>{props.first}</span>
        <span className={styles.cardAside}>{props.aside}</span>
      </span>
      <span className={`${styles.cardSecond} cut`}>{props.second}</span>
      {props.third !== undefined && <span className={`${styles.cardThird} cut`}>{props.third}</span>}
    </>
  );
}

function SkeletonCards({ count }: { count: number }) {
  const isShown = useDelayed(150);
  return Array.from({ length: count }, (_, row) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the cards never change their order
    <li key={row} className={styles.card}>
      <span className={styles.cardLine}>{isShown && <Bone width="40%" />}</span>
      <span className={styles.cardSecond}>{isShown && <Bone width="70%" />}</span>
    </li>
  ));
}
