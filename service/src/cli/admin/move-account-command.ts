import { Option } from "commander";
import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import type { MoveAccountOptions } from "./move-account.ts";

export function moveAccountCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("move-account")
    .about(
      "move an account from another cell to this one, with its record, queue, members and keys",
      "Run it with the settings of the cell to which the account moves. Without --switch it only prepares: it copies the record while the " +
        "account works as always, registers the domains here, and says what is missing. You can interrupt the command and repeat it: it continues.",
      "docs/scale.md has the whole procedure.",
    )
    .argument("<EMAIL-or-ID>", "email of a user of the account in the other cell, or the id of the account")
    .requiredOption("--from <FILE>", "settings of the cell in which the account lives, as NAME=value lines")
    .addOption(
      new Option("--switch", "move the account: for some seconds the API answers 503").conflicts(["undo", "keys"]),
    )
    .addOption(new Option("--undo", "end the move; the account stays where it is").conflicts(["keys"]))
    .option("--keys", "print the lines of moved.map for the proxy, and change nothing")
    .option(
      "--proxy <COMMAND>",
      "with --switch: run by sh as soon as the account lives here, with the lines of moved.map on its input",
    )
    .example(
      "postern admin move-account ada@shop.example --from old-cell.env",
      "postern admin move-account ada@shop.example --from old-cell.env --switch",
    )
    .action(
      onDatabase(
        () => import("./move-account.ts"),
        ({ runMoveAccount }, context, account: string, options: MoveAccountOptions) =>
          runMoveAccount(context, account, options),
        { statementTimeoutMs: 60_000 },
      ),
    );
}
