import { IconCheck, IconCopy, IconX, type TablerIcon } from "@tabler/icons-react";
import type { MouseEvent, ReactNode } from "react";
import styles from "./copy.module.css";
import { useCopy } from "./use-copy.ts";

export type CopyButtonProps = {
  value: string;
  /** What is copied: "send id" reads "Copy send id". */
  label: string;
  /** Visible without hover. */
  always?: boolean;
  /** A text beside the icon makes it a bordered button, such as "Copy answer". */
  children?: ReactNode;
  icon?: TablerIcon;
};

export function CopyButton({ value, label, always = false, children, icon = IconCopy }: CopyButtonProps) {
  const { state, copy } = useCopy();
  const Icon = state === "copied" ? IconCheck : state === "failed" ? IconX : icon;
  const announced = { ready: "", copied: `Copied ${label}`, failed: `The browser did not copy ${label}` }[state];
  function handleClick(event: MouseEvent) {
    event.stopPropagation();
    event.preventDefault();
    void copy(value);
  }
  return (
    <button
      type="button"
      className={styles.button}
      data-state={state}
      data-always={always || children !== undefined || undefined}
      data-wide={children !== undefined || undefined}
      title={`Copy ${label}`}
      aria-label={children === undefined ? `Copy ${label}` : undefined}
      onClick={handleClick}
    >
      <Icon size={14} stroke={1.75} aria-hidden="true" />
      {children}
      <span className="visually-hidden" aria-live="polite">
        {announced}
      </span>
    </button>
  );
}

export type CopyTextProps = { value: string; label: string; mono?: boolean; always?: boolean; children?: ReactNode };

/** The text, cut when it is too long, with its button. `children` replaces the shown text, not the copied one. */
export function CopyText({ value, label, mono = false, always = false, children }: CopyTextProps) {
  return (
    <span className={styles.line} data-copy-area="">
      <span className={mono ? "cut mono" : "cut"} title={value}>
        {children ?? value}
      </span>
      <CopyButton value={value} label={label} always={always} />
    </span>
  );
}
