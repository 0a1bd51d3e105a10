import { loadEnvironment, readCheckConfig } from "../../config.ts";
import { amountText, printable, say } from "../../plain-text.ts";
import type { MailProgress, MailRecord } from "../../provider/ses/check/check-mail-events.ts";
import type { Finding } from "../../provider/ses/setup/finding.ts";
import { findingText, fixOf } from "../aws-advice.ts";
import { setUpCheckOptions } from "../aws-options.ts";
import { colourMarks } from "../colour.ts";
import { createProgressBar } from "../progress-bar.ts";
import { allChecks, type CheckOptions } from "./all-checks.ts";

interface RunOptions {
  from: string;
  isJson: boolean;
  timeoutSeconds: number;
}

/** SNS documents no time after which a new subscription works. The simulator needs none. */
const settleMs = 10_000;
const interruptedExitCode = 130;

export async function runCheck({ from, isJson, timeoutSeconds }: RunOptions): Promise<void> {
  const config = readCheckConfig(loadEnvironment());
  const { cellCode, provider } = config;
  const stopping = stopOnSignal();
  const progress = showProgress();
  const startedAt = performance.now();
  const result = await collect(
    {
      setUp: setUpCheckOptions(config),
      dnsServers: config.dnsServers,
      from,
      timeoutMs: timeoutSeconds * 1000,
      settleMs: provider.kind === "ses" ? settleMs : 0,
      certificateOrigin: provider.kind === "simulator" ? provider.endpoints.sns : undefined,
      signal: stopping,
      onProgress: progress.show,
    },
    (finding) => {
      progress.clear();
      if (!isJson) say(findingText(finding), colourMarks);
    },
  );
  progress.clear();
  const problems = result.findings.filter(({ state }) => state === "problem").length;
  const outcome = stopping.aborted ? "interrupted" : problems > 0 ? "failed" : "passed";
  if (isJson) {
    const facts = { result: outcome, cell: cellCode, region: provider.region, from };
    const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    say(
      JSON.stringify({ ...facts, seconds, findings: result.findings.map(forPrograms), mails: result.mails }, null, 2),
    );
  } else say(closingText(outcome, problems));
  if (outcome !== "passed") process.exitCode = outcome === "interrupted" ? interruptedExitCode : 1;
}

async function collect(options: CheckOptions, onFinding: (finding: Finding) => void) {
  const findings: Finding[] = [];
  const checks = allChecks(options);
  for (;;) {
    const step = await checks.next();
    if (step.done === true) return { findings, mails: step.value satisfies MailRecord[] };
    findings.push(step.value);
    onFinding(step.value);
  }
}

function forPrograms(finding: Finding) {
  const { check, state, what } = finding;
  return { check, state, what, ...fixOf(finding) };
}

function closingText(outcome: "passed" | "failed" | "interrupted", problems: number): string {
  switch (outcome) {
    case "passed":
      return "\nNo problems found.";
    case "failed":
      return `\n${amountText(problems, "problem")} found.`;
    case "interrupted":
      return "\nInterrupted. The temporary queue is removed unless a line above names it.";
  }
}

/** The first signal ends the check and removes the temporary queue; a second one ends the process. */
function stopOnSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stopping.abort());
  return stopping.signal;
}

/** A bar on a terminal; in a log two lines, so that nobody takes the wait for a hang. */
function showProgress() {
  const bar = createProgressBar(process.stderr, "events");
  let shown = 0;
  return {
    show({ sent, mails, events, expected }: MailProgress): void {
      bar.show(expected === 0 ? undefined : events / expected, events);
      if (process.stderr.isTTY || shown === sent) return;
      shown = sent;
      if (sent === 1 || sent === mails)
        process.stderr.write(printable(`${sent} of ${mails} mails sent, waiting for events\n`));
    },
    clear: () => bar.clear(),
  };
}
