import { statusLook } from "./status-look.ts";
import styles from "./status-word.module.css";

export type StatusWordProps = {
  status: string;
  /** Another word for the same state, such as "Gives up". */
  word?: string;
  /** Colours a suppression too: in the card of an address it is the answer. */
  loud?: boolean;
  size?: 15 | 16 | 18;
};

export function StatusWord({ status, word, loud = false, size = 15 }: StatusWordProps) {
  const look = statusLook(status);
  const isLoud = loud || look.iconColour === look.wordColour;
  const colour = loud && look.word === "Suppressed" ? "var(--bad)" : undefined;
  return (
    <span className={styles.status} data-loud={isLoud || undefined}>
      <look.icon size={size} stroke={1.75} color={colour ?? look.iconColour} aria-hidden="true" />
      <span style={{ color: colour ?? look.wordColour }}>{word ?? look.word}</span>
    </span>
  );
}

/** The icon alone, for a timeline or a list whose text already says the state. */
export function StatusIcon({ status, size = 15 }: { status: string; size?: number }) {
  const look = statusLook(status);
  return <look.icon className={styles.icon} size={size} stroke={1.75} color={look.iconColour} aria-hidden="true" />;
}
