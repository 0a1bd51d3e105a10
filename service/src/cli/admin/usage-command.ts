import { Option } from "commander";
import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import { timeReader } from "./read-time.ts";
import type { UsageOptions } from "./usage.ts";

/** A rebuild computes the day of a large account in one statement. */
const statementTimeoutMs = 600_000;

export function usageCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("usage")
    .about(
      "show how much an account sends, or compare its counters with the record",
      "With --rebuild the command computes the counters of each day from sends and events, and shows what differs. Add --yes to " +
        "correct them. You can interrupt it and repeat it; mail goes on meanwhile.",
    )
    .requiredOption("--account <EMAIL-or-ID>", "email of a user of the account, or the id of the account")
    .option(
      "--since <TIME>",
      "from this time on: 2026-11-15T09:00Z, or 12h, 3d before now (default: 30d)",
      timeReader("--since"),
    )
    .addOption(new Option("--by <UNIT>", "length of each line: hour or day (default: day)").choices(["hour", "day"]))
    .addOption(
      new Option("--group <WHAT>", "a line for each sending domain, or for each tag of a day").choices([
        "domain",
        "tag",
      ]),
    )
    .option("--rebuild", "compare the counters with the record")
    .option("--yes", "with --rebuild: correct the counters; without it the command only shows the differences")
    .example(
      "postern admin usage --account ada@example.com --since 7d --group domain",
      "postern admin usage --account ada@example.com --since 7d --group tag",
      "postern admin usage --account ada@example.com --since 7d --rebuild",
    )
    .action(
      onDatabase(
        () => import("./usage.ts"),
        ({ runUsage }, { db }, options: UsageOptions) => runUsage(db, options),
        { statementTimeoutMs },
      ),
    );
}
