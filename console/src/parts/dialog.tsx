import { Modal } from "@mantine/core";
import type { ReactNode } from "react";
import styles from "./dialog.module.css";

export type DialogProps = {
  title: string;
  opened: boolean;
  onClose: () => void;
  children: ReactNode;
  /** Buttons at the right end of one line; the filled one last. */
  footer?: ReactNode;
  /** Left end of that line: a remark. */
  note?: ReactNode;
  width?: number;
};

/** Keeps the focus inside and returns it afterwards. Escape closes. */
export function Dialog({ title, opened, onClose, children, footer, note, width = 480 }: DialogProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      size={width}
      centered
      closeButtonProps={{ "aria-label": "Close", size: 26 }}
      overlayProps={{ backgroundOpacity: 0.4, color: "#161412" }}
      // A header outside of the page would count as a second banner.
      attributes={{ header: { role: "presentation" } }}
      classNames={{
        content: styles.content ?? "",
        header: styles.header ?? "",
        title: styles.title ?? "",
        body: styles.body ?? "",
      }}
    >
      <div className={styles.children}>{children}</div>
      {footer !== undefined && (
        <div className={styles.footer}>
          {note !== undefined && <span className={styles.note}>{note}</span>}
          {footer}
        </div>
      )}
    </Modal>
  );
}
