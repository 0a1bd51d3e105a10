import { AppError } from "../errors.ts";
import { type DevProcess, endedError, type ProcessSpec, startProcess, stopProcess } from "./dev-process.ts";
import type { StateFolder } from "./state-folder.ts";
import type { TerminalLine } from "./terminal-line.ts";

/** The processes of one `postern dev`. */
export interface DevProcesses {
  /** Starts a process that stays. Resolves with the fields of its log line `<name>.started`. */
  start(spec: ProcessSpec): Promise<Record<string, unknown>>;
  /** Runs a process to its end. Resolves with its standard output. */
  run(spec: ProcessSpec): Promise<string>;
  /** Rejects when a process ends before `stop` was called. */
  unexpectedEnd: Promise<never>;
  /** Stops the groups one after the other, the processes of a group together. No process starts after this call. */
  stop(...groups: string[][]): Promise<void>;
  /** Kills every process that still runs. */
  kill(): void;
}

export function createDevProcesses(state: StateFolder, show: (line: TerminalLine) => void): DevProcesses {
  const running = new Map<string, DevProcess>();
  let isStopping = false;
  const unexpectedEnd = Promise.withResolvers<never>();
  unexpectedEnd.promise.catch(() => undefined);

  const open = (spec: ProcessSpec, onStdoutLine: (line: string) => void): DevProcess => {
    if (isStopping) throw new AppError("UNAVAILABLE", `${spec.name} was not started: \`postern dev\` is stopping.`);
    const opened = startProcess(state, spec, { show, onStdoutLine });
    running.set(spec.name, opened);
    void opened.ended.then(() => running.delete(spec.name));
    return opened;
  };
  return {
    unexpectedEnd: unexpectedEnd.promise,
    async start(spec) {
      const started = Promise.withResolvers<Record<string, unknown>>();
      const opened = open(spec, (line) => {
        const { event, ...fields } = parseLine(line);
        if (event === `${spec.name}.started`) started.resolve(fields);
      });
      void opened.ended.then((how) => {
        const error = endedError(state, opened, how);
        started.reject(error);
        if (!isStopping) unexpectedEnd.reject(error);
      });
      return started.promise;
    },
    async run(spec) {
      const lines: string[] = [];
      const opened = open({ isQuiet: true, ...spec }, (line) => lines.push(line));
      const how = await opened.ended;
      if (opened.child.exitCode !== 0) throw endedError(state, opened, how);
      return lines.join("\n");
    },
    async stop(...groups) {
      isStopping = true;
      for (const group of groups) await Promise.all(group.flatMap((name) => running.get(name) ?? []).map(stopProcess));
    },
    kill() {
      // A second SIGTERM makes PostgreSQL quit without waiting; SIGKILL would leave its sessions running for a moment.
      for (const { spec, child } of running.values()) child.kill(spec.name === "postgres" ? "SIGTERM" : "SIGKILL");
    },
  };
}

function parseLine(line: string): Record<string, unknown> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
