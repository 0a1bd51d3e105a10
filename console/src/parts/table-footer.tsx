import { ActionIcon } from "@mantine/core";
import { IconArrowUp, IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import type { ReactNode } from "react";
import styles from "./data-table.module.css";
import { formatNumber } from "./format-number.ts";
import { KeyCap } from "./key-cap.tsx";

export type TableFooterProps = {
  /** "1 to 50 of about 14,200 sends" */
  children: ReactNode;
  /** Shows the arrows. Undefined disables one of them; leave both out for no arrows. */
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
  /** Shows which keys move and open. */
  keys?: boolean;
};

export function TableFooter(props: TableFooterProps) {
  const { children, onPrevious, onNext, keys = false } = props;
  const hasPages = "onPrevious" in props || "onNext" in props;
  return (
    <footer className={styles.footer}>
      <span className="tabular">{children}</span>
      <span className={styles.footerEnd}>
        {keys && <KeyHints />}
        {hasPages && (
          <span className={styles.keys} style={{ display: "inline-flex" }}>
            <ActionIcon aria-label="Previous page" disabled={!onPrevious} onClick={onPrevious} bg="transparent">
              <IconChevronLeft size={16} stroke={1.75} />
            </ActionIcon>
            <ActionIcon aria-label="Next page" disabled={!onNext} onClick={onNext} bg="transparent">
              <IconChevronRight size={16} stroke={1.75} />
            </ActionIcon>
          </span>
        )}
      </span>
    </footer>
  );
}

function KeyHints() {
  return (
    <>
      <span className={styles.keys}>
        <KeyCap>j</KeyCap>
        <KeyCap>k</KeyCap> move
      </span>
      <span className={styles.keys}>
        <KeyCap>Enter</KeyCap> open
      </span>
      <span className={styles.keys}>
        <KeyCap>c</KeyCap> copy id
      </span>
    </>
  );
}

export type NewRowsProps = {
  count: number;
  /** There may be more than `count`. */
  isAtLeast?: boolean;
  onShow: () => void;
  aside?: ReactNode;
};

/** New rows wait here, so that nothing moves under the pointer. */
export function NewRows({ count, isAtLeast = false, onShow, aside }: NewRowsProps) {
  if (count === 0) return null;
  return (
    <div className={styles.banner}>
      <button type="button" onClick={onShow}>
        <IconArrowUp size={15} stroke={1.75} aria-hidden="true" />
        {formatNumber(count)}
        {isAtLeast ? " or more" : ""} new
      </button>
      <span>{aside}</span>
    </div>
  );
}
