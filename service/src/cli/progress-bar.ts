import { countText } from "../plain-text.ts";

interface Screen {
  isTTY?: boolean;
  write(text: string): unknown;
}

export interface ProgressBar {
  /** `share` is from 0 to 1; undefined when the end is not known. */
  show(share: number | undefined, done: number): void;
  clear(): void;
}

const width = 30;
const pauseMs = 100;

/** One line that a terminal redraws ten times a second at most. Writes nothing elsewhere. */
export function createProgressBar(screen: Screen, what: string): ProgressBar {
  let shownAt = Number.NEGATIVE_INFINITY;
  return {
    show(share, done) {
      if (screen.isTTY !== true || performance.now() - shownAt < pauseMs) return;
      shownAt = performance.now();
      screen.write(`\r\x1b[K${share === undefined ? "" : `${barOf(share)} `}${countText(done)} ${what}`);
    },
    clear() {
      if (screen.isTTY === true && shownAt > 0) screen.write("\r\x1b[K");
    },
  };
}

function barOf(share: number): string {
  const filled = Math.round(Math.min(1, share) * width);
  return `[${"#".repeat(filled)}${"-".repeat(width - filled)}] ${String(Math.floor(share * 100)).padStart(3)} %`;
}
