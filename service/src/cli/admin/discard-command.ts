import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import type { DiscardOptions } from "./discard.ts";
import { timeReader } from "./read-time.ts";

export function discardCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("discard")
    .about(
      "end queued mail of an account as failed; without --yes, only count it",
      "The sends fail with CANCELLED, and no worker submits them. Mail that a worker is submitting, and mail in doubt, stays: SES may " +
        "have it. You can interrupt the command and repeat it.",
    )
    .requiredOption("--account <EMAIL-or-ID>", "email of a user of the account, or the id of the account")
    .requiredOption(
      "--before <TIME>",
      "sends that the API accepted before this time: 2026-11-15T09:00Z, or 90m, 12h, 3d before now",
      timeReader("--before"),
    )
    .option("--yes", "end the sends; without it the command only counts them")
    .example(
      "postern admin discard --account ada@example.com --before 30d",
      "postern admin discard --account ada@example.com --before 30d --yes",
    )
    .action(
      onDatabase(
        () => import("./discard.ts"),
        ({ runDiscard }, { db }, options: DiscardOptions) => runDiscard(db, options),
      ),
    );
}
