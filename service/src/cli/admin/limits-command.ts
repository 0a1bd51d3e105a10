import { InvalidArgumentError, Option } from "commander";
import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import type { LimitsOptions } from "./limits.ts";

const maxInteger = 2_147_483_647;

export function limitsCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("limits")
    .about(
      "show and change the quotas and limits of an account, with what it uses now",
      "Limits that are not given stay as they are. Quotas of recipients and content are unlimited until you set them, and are separate " +
        "for live and test mail. API processes apply a change within 5 seconds; a send above a quota gets 429 QUOTA_EXCEEDED.",
      "A trial limits the recipients a day until you lift it. With a quota of recipients a day as well, the smaller one counts.",
    )
    .requiredOption("--account <EMAIL-or-ID>", "the account: the email of one of its users, or its id")
    .addOption(
      new Option("--mode <MODE>", "the mail whose quotas are shown and set").choices(["live", "test"]).default("live"),
    )
    .option("--recipients-per-day <N>", 'recipients from 00:00 to 24:00 UTC, or "unlimited"', quotaReader(maxInteger))
    .option("--queued-recipients <N>", 'recipients that wait in the queue, or "unlimited"', quotaReader(maxInteger))
    .option("--content-bytes <N>", 'bytes of stored content, or "unlimited"', quotaReader(Number.MAX_SAFE_INTEGER))
    .addOption(
      new Option("--trial <N>", "put the account on trial: recipients a day")
        .argParser(readLimit(0))
        .conflicts("liftTrial"),
    )
    .option("--lift-trial", "end the trial")
    .option("--per-second <N>", "sends in one second", readLimit(1))
    .option("--per-10-seconds <N>", "sends in ten seconds", readLimit(1))
    .option("--per-minute <N>", "sends in one minute", readLimit(1))
    .option("--domains <N>", "registered domains", readLimit(0))
    .option("--api-keys <N>", "usable API keys", readLimit(0))
    .option("--domain-changes-per-minute <N>", "registrations and removals of domains in one minute", readLimit(1))
    .example(
      "postern admin limits --account ada@example.com",
      "postern admin limits --account ada@example.com --recipients-per-day 5000 --queued-recipients 20000",
      "postern admin limits --account ada@example.com --lift-trial",
    )
    .action(
      onDatabase(
        () => import("./limits.ts"),
        ({ runLimits }, { db }, options: LimitsOptions) => runLimits(db, options),
      ),
    );
}

export function readLimit(least: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (Number.isInteger(value) && value >= least && value <= 1_000_000) return value;
    throw new InvalidArgumentError(`A limit must be a whole number from ${least} to 1000000, not "${text}".`);
  };
}

/** Infinity is unlimited: commander makes a text of null. */
function quotaReader(most: number): (text: string) => number {
  return (text) => {
    if (text === "unlimited") return Number.POSITIVE_INFINITY;
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (Number.isInteger(value) && value >= 0 && value <= most) return value;
    throw new InvalidArgumentError(`A quota must be a whole number from 0 to ${most}, or "unlimited", not "${text}".`);
  };
}
