import { styleText } from "node:util";

interface Screen {
  isTTY?: boolean;
  write(text: string): unknown;
}

export interface Progress {
  /** Shows that the step is running and, when it has finished, how long it took. */
  step<Result>(name: string, work: () => Promise<Result>): Promise<Result>;
  say(text: string): void;
}

/** Prints one line for each finished step. In a terminal, the last line also names the steps that are running. */
export function showProgress(screen: Screen): Progress {
  const running = new Set<string>();
  let shown = "";
  /** Prints whole lines above the line that names the running steps. */
  const write = (lines: string) => {
    const erase = shown === "" ? "" : "\r\x1b[K";
    shown = screen.isTTY === true && running.size > 0 ? `  … ${[...running].join(", ")}` : "";
    screen.write(`${erase}${lines}${shown}`);
  };
  return {
    say: (text) => write(`${text}\n`),
    async step(name, work) {
      const started = performance.now();
      running.add(name);
      write("");
      let outcome = "";
      try {
        const result = await work();
        outcome = `  ${styleText("green", "✓")} ${name.padEnd(12)}${seconds(started)}\n`;
        return result;
      } finally {
        running.delete(name);
        write(outcome);
      }
    },
  };
}

export function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}
