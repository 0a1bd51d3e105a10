import { InvalidArgumentError } from "commander";
import type { OnDatabase } from "../on-database.ts";
import { groupOf, PosternCommand } from "../postern-command.ts";
import { usageError } from "../usage-error.ts";

export function quarantineCommand(onDatabase: OnDatabase): PosternCommand {
  return groupOf("quarantine", [listCommand(onDatabase), showCommand(onDatabase), replayCommand(onDatabase)])
    .about("handle SES notifications that could not be applied")
    .example("postern admin quarantine list", "postern admin quarantine replay --all");
}

function listCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("list")
    .about("list the newest 50 SES notifications that could not be applied")
    .example("postern admin quarantine list")
    .action(
      onDatabase(
        () => import("./quarantine.ts"),
        ({ runList }, { db }) => runList(db),
      ),
    );
}

function showCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("show")
    .about("show a notification as received", "The output can contain addresses.")
    .argument("ID", "id of the notification, as `postern admin quarantine list` prints it", readId)
    .example("postern admin quarantine show 17")
    .action(
      onDatabase(
        () => import("./quarantine.ts"),
        ({ runShow }, { db }, id: number) => runShow(db, id),
      ),
    );
}

function replayCommand(onDatabase: OnDatabase): PosternCommand {
  const replay = onDatabase(
    () => import("./quarantine.ts"),
    ({ runReplay }, { db }, id: number | undefined) => runReplay(db, id),
  );
  return new PosternCommand("replay")
    .about("let a worker try a notification again within ten seconds")
    .argument("[ID]", "id of the notification", readId)
    .option("--all", "try all notifications again")
    .example("postern admin quarantine replay 17", "postern admin quarantine replay --all")
    .action(async (id: number | undefined, { all = false }: { all?: boolean }, command: PosternCommand) => {
      if (all && id !== undefined) throw usageError(command, "Give an id or --all, not both.");
      if (!all && id === undefined) throw usageError(command, "The id is missing. For all notifications, give --all.");
      await replay(id);
    });
}

function readId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError(`"${text}" is not the id of an entry; an id is a number.`);
}
