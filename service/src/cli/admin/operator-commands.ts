import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import type { OperatorOptions } from "./operators.ts";

export function operatorCommands(onDatabase: OnDatabase): PosternCommand[] {
  return [setOperatorCommand(onDatabase), listOperatorsCommand(onDatabase)];
}

function setOperatorCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("set-operator")
    .about(
      "let a user see and manage all accounts through the API, or take this right",
      "Only this command gives and takes the right. The user must have two-factor authentication, and a user who sets it up anew needs the " +
        "command again. The operator routes need a log-in with a code of the authenticator app, made within the " +
        "last 12 hours; API keys never open them. Owners of an account cannot remove an operator or change the operator's role.",
    )
    .requiredOption("--email <EMAIL>", "email of the user")
    .option("--off", "take the right; it ends with the user's next request")
    .example(
      "postern admin set-operator --email ada@example.com",
      "postern admin set-operator --email ada@example.com --off",
    )
    .action(
      onDatabase(
        () => import("./operators.ts"),
        ({ runSetOperator }, { db }, options: OperatorOptions) => runSetOperator(db, options),
      ),
    );
}

function listOperatorsCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("list-operators")
    .about(
      "list the operators and their two-factor authentication: on, off, or set up anew, which needs set-operator again",
    )
    .example("postern admin list-operators")
    .action(
      onDatabase(
        () => import("./operators.ts"),
        ({ runListOperators }, { db }) => runListOperators(db),
      ),
    );
}
