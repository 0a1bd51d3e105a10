import { Option } from "commander";
import { retryableCodes } from "../../queue/retry-failed.ts";
import type { OnDatabase } from "../on-database.ts";
import { groupOf, PosternCommand } from "../postern-command.ts";
import { timeReader } from "./read-time.ts";
import type { RetryOptions } from "./retry.ts";

const accountOption = "--account <EMAIL-or-ID>";

export function holdCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("hold")
    .about(
      "stop the delivery of all mail, or of one account's mail",
      "The API still accepts mail; it waits in the queue, and none of it fails or is lost. Workers finish the submissions that are " +
        "in progress. The hold lasts until `postern admin release`.",
    )
    .option(accountOption, "only the mail of this account: the email of one of its users, or its id")
    .option("--reason <TEXT>", "note that `postern status` shows; the first 500 characters are kept")
    .example('postern admin hold --reason "SES reviews our account"', "postern admin hold --account ada@example.com")
    .action(
      onDatabase(
        () => import("./holds.ts"),
        ({ runHold }, { db }, options: { account?: string; reason?: string }) => runHold(db, options),
      ),
    );
}

export function releaseCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("release")
    .about("resume the delivery that `hold` stopped")
    .option(accountOption, "end the hold of this account: the email of one of its users, or its id")
    .example("postern admin release", "postern admin release --account ada@example.com")
    .action(
      onDatabase(
        () => import("./holds.ts"),
        ({ runRelease }, { db }, options: { account?: string }) => runRelease(db, options),
      ),
    );
}

export function sendCommand(onDatabase: OnDatabase): PosternCommand {
  const show = new PosternCommand("show")
    .about(
      "show the record, queue state, attempts and events of a send of any account",
      "The output contains addresses.",
    )
    .argument("ID", "id of the send, as the API returned it")
    .example("postern admin send show 01a1de08-c60b-7e09-9a1f-2112aa858c67")
    .action(
      onDatabase(
        () => import("./send.ts"),
        ({ runShowSend }, { db }, id: string) => runShowSend(db, id),
      ),
    );
  return groupOf("send", [show])
    .about("inspect a send")
    .example("postern admin send show 01a1de08-c60b-7e09-9a1f-2112aa858c67");
}

export function retryCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("retry")
    .about(
      "put failed sends back into the queue; without --yes, only count them",
      "A send stays failed when its content was deleted, when SES has accepted it, and when somebody cancelled it.",
    )
    .addOption(
      new Option("--status <failed>", "always failed: only failed sends can be retried")
        .choices(["failed"])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--code <CODE>", `error code of the sends: ${retryableCodes.join(", ")}`)
        .choices(retryableCodes)
        .makeOptionMandatory(),
    )
    .requiredOption(
      "--since <TIME>",
      "sends that the API accepted at this time or later: 2026-11-15T09:00Z, or 90m, 12h, 3d before now",
      timeReader("--since"),
    )
    .option(accountOption, "only sends of this account: the email of one of its users, or its id")
    .option("--yes", "put the sends back; without it the command only counts them and shows examples")
    .example(
      "postern admin retry --status failed --code PROVIDER_UNAVAILABLE --since 12h",
      "postern admin retry --status failed --code PROVIDER_UNAVAILABLE --since 12h --yes",
    )
    .action(
      onDatabase(
        () => import("./retry.ts"),
        ({ runRetry }, { db }, options: RetryOptions) => runRetry(db, options),
      ),
    );
}
