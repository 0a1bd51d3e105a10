import { Option } from "commander";
import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import type { GuardOptions } from "./guard.ts";

export function guardCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("guard")
    .about(
      "show the bounce and complaint rates of an account; release it or switch the guard",
      "The guard holds the live mail of an account that has at least 200 outcomes within 7 days and more than 10 % hard bounces (20 " +
        "or more) or more than 0.5 % complaints (5 or more). It warns above 5 % and 0.1 %. The hold lasts until --release.",
    )
    .requiredOption("--account <EMAIL-or-ID>", "email of a user of the account, or its id")
    .option(
      "--release",
      "end the guard's hold and count from zero; mail that was accepted before is sent and not counted. A hold of the operator stays",
    )
    .addOption(new Option("--off", "never hold this account; it is counted and warned about").conflicts("on"))
    .addOption(new Option("--on", "hold this account when its rates are too high, as by default"))
    .example(
      "postern admin guard --account ada@example.com",
      "postern admin guard --account ada@example.com --release",
      "postern admin guard --account ada@example.com --off --release",
    )
    .action(
      onDatabase(
        () => import("./guard.ts"),
        ({ runGuard }, { db }, options: GuardOptions) => runGuard(db, options),
      ),
    );
}
