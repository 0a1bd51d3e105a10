import { styleText } from "node:util";

interface Screen {
  isTTY?: boolean;
  write(text: string): unknown;
}

export interface Progress {
  /** Shows that the step is under way and, when it is done, how long it took. */
  step<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  say(text: string): void;
}

/** One line per step that is done; in a terminal also one, rewritten, that names what is under way. */
export function showProgress(screen: Screen): Progress {
  const underWay = new Set<string>();
  let shown = "";
  /** Puts whole lines above the one that names what is under way. */
  const write = (lines: string) => {
    const erase = shown === "" ? "" : "\r\x1b[K";
    shown = screen.isTTY === true && underWay.size > 0 ? `  … ${[...underWay].join(", ")}` : "";
    screen.write(`${erase}${lines}${shown}`);
  };
  return {
    say: (text) => write(`${text}\n`),
    async step(name, work) {
      const started = performance.now();
      underWay.add(name);
      write("");
      let outcome = "";
      try {
        const result = await work();
        outcome = `  ${styleText("green", "✓")} ${name.padEnd(12)}${seconds(started)}\n`;
        return result;
      } finally {
        underWay.delete(name);
        write(outcome);
      }
    },
  };
}

export function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
