import { Option } from "commander";
import { say } from "../../plain-text.ts";
import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import type { CreateAccountOptions } from "./create-account.ts";
import { limitsCommand, readLimit } from "./limits-command.ts";
import type { LimitOptions } from "./manage-account.ts";

interface EmailOption {
  email: string;
}

export function accountCommands(onDatabase: OnDatabase): PosternCommand[] {
  return [
    generateSecretsCommand(),
    createAccountCommand(onDatabase),
    listAccountsCommand(onDatabase),
    resetPasswordCommand(onDatabase),
    disableTotpCommand(onDatabase),
    suspendCommand(onDatabase),
    resumeCommand(onDatabase),
    limitsCommand(onDatabase),
    setLimitsCommand(onDatabase),
  ];
}

function generateSecretsCommand(): PosternCommand {
  return new PosternCommand("generate-secrets")
    .about("print new secrets for .env", "It stores nothing and needs no database. Each run prints new secrets.")
    .example("postern admin generate-secrets >> .env")
    .action(async () => say((await import("../generate-secrets.ts")).secretsBlock()));
}

function createAccountCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("create-account")
    .about(
      "create an account and its first user; print the password once",
      "With --with-key it also creates an API key and prints it once; this needs the settings API_KEY_PEPPER and CELL_CODE of the " +
        "API. Account and key are two commits. If the command stops between them, the account exists without the key: run " +
        "`postern admin create-key`, and `postern admin reset-password` if the password was not printed.",
    )
    .requiredOption("--name <NAME>", "name of the account, 1 to 200 characters")
    .requiredOption("--email <EMAIL>", "email with which the first user logs in")
    .addOption(
      new Option("--with-key <TYPE>", "also create an API key: test sends no real mail, live does").choices([
        "test",
        "live",
      ]),
    )
    .option(
      "--trial <N>",
      "put the account on trial: recipients of live mail a day, until `limits --lift-trial`",
      readLimit(0),
    )
    .example(
      'postern admin create-account --name "Acme" --email ada@example.com',
      'postern admin create-account --name "Acme" --email ada@example.com --with-key test',
    )
    .action(
      onDatabase(
        () => import("./create-account.ts"),
        ({ runCreateAccount }, context, options: CreateAccountOptions) => runCreateAccount(context, options),
      ),
    );
}

function listAccountsCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("list-accounts")
    .about(
      "list all accounts, oldest first",
      "Prints the id, the time of creation, the state (active, on trial, on hold, suspended), the email of the first user and the name, one " +
        "account a line. It reads page by page, so the list can be long.",
    )
    .example("postern admin list-accounts", "postern admin list-accounts | grep suspended")
    .action(
      onDatabase(
        () => import("./list-accounts.ts"),
        ({ runListAccounts }, { db }) => runListAccounts(db),
      ),
    );
}

function resetPasswordCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("reset-password")
    .about("set a new password for a user and end all of the user's logins; print the password once")
    .requiredOption("--email <EMAIL>", "email of the user")
    .example("postern admin reset-password --email ada@example.com")
    .action(
      onDatabase(
        () => import("./manage-account.ts"),
        ({ runResetPassword }, { db }, { email }: EmailOption) => runResetPassword(db, email),
      ),
    );
}

function disableTotpCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("disable-totp")
    .about(
      "switch two-factor authentication of a user off and end all of the user's logins",
      "For a user who has lost the authenticator app and the recovery codes. Make sure by other means who is asking. In an account that " +
        "requires two-factor authentication, the user sets it up again after the next log-in.",
    )
    .requiredOption("--email <EMAIL>", "email of the user")
    .example("postern admin disable-totp --email ada@example.com")
    .action(
      onDatabase(
        () => import("./manage-account.ts"),
        ({ runDisableTotp }, { db }, { email }: EmailOption) => runDisableTotp(db, email),
      ),
    );
}

function suspendCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("suspend")
    .about(
      "refuse the keys and tokens of an account and park its queued mail",
      "Deletes nothing. `postern admin resume` ends the suspension.",
    )
    .requiredOption("--email <EMAIL>", "email of a user of the account, or the id of the account")
    .example("postern admin suspend --email ada@example.com")
    .action(
      onDatabase(
        () => import("./manage-account.ts"),
        ({ runSuspend }, { db }, { email }: EmailOption) => runSuspend(db, email),
      ),
    );
}

function resumeCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("resume")
    .about("end the suspension of an account")
    .requiredOption("--email <EMAIL>", "email of a user of the account, or the id of the account")
    .example("postern admin resume --email ada@example.com")
    .action(
      onDatabase(
        () => import("./manage-account.ts"),
        ({ runResume }, { db }, { email }: EmailOption) => runResume(db, email),
      ),
    );
}

function setLimitsCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("set-limits")
    .about(
      "change how many sends an account may request",
      "Limits that are not given stay as they are. Without a limit it prints the current ones. `postern admin limits` shows and changes " +
        "all limits of an account.",
    )
    .requiredOption("--email <EMAIL>", "email of a user of the account, or the id of the account")
    .option("--per-second <N>", "sends in one second", readLimit(1))
    .option("--per-10-seconds <N>", "sends in ten seconds", readLimit(1))
    .option("--per-minute <N>", "sends in one minute", readLimit(1))
    .example("postern admin set-limits --email ada@example.com --per-second 50 --per-minute 900")
    .action(
      onDatabase(
        () => import("./manage-account.ts"),
        ({ runSetLimits }, { db }, options: LimitOptions) => runSetLimits(db, options),
      ),
    );
}
