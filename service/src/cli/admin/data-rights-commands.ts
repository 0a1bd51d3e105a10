import { InvalidArgumentError } from "commander";
import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import type { DeleteAccountOptions } from "./delete-account.ts";
import type { EraseAddressOptions } from "./erase-address.ts";
import type { ExportAccountOptions } from "./export-account.ts";

export function dataRightsCommands(onDatabase: OnDatabase): PosternCommand[] {
  return [exportAccountCommand(onDatabase), eraseAddressCommand(onDatabase), deleteAccountCommand(onDatabase)];
}

function exportAccountCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("export-account")
    .about(
      "write all data of an account to files",
      "Writes one NDJSON file for each kind of data, and manifest.json with the rows, the size and the SHA-256 of each. Secrets and the " +
        "content of mails are left out. You can interrupt the command and repeat it with the same folder: it continues.",
      "docs/data-rights.md lists the files.",
    )
    .argument("<EMAIL-or-ID>", "email of a user of the account, or the id of the account")
    .requiredOption("--to <DIR>", "a folder that is new or empty, or that has an interrupted export of the account")
    .example("postern admin export-account ada@shop.example --to ./export-of-shop")
    .action(
      onDatabase(
        () => import("./export-account.ts"),
        ({ runExportAccount }, { db }, account: string, options: ExportAccountOptions) =>
          runExportAccount(db, account, options),
        { statementTimeoutMs: 60_000 },
      ),
    );
}

function eraseAddressCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("erase-address")
    .about(
      "erase an email address from the record, except from the suppression lists",
      "Replaces the address in sends, events, attempts, quarantine, webhook deliveries and the audit, and deletes the content and " +
        "attachments of its mail. Mail to it that is queued fails with CANCELLED. If a worker is submitting such mail, the command " +
        "waits for it. You can interrupt the command and repeat it: it continues. It cannot be undone.",
      "The command needs CONTENT_KEY. docs/data-rights.md lists what is erased and what stays.",
    )
    .argument("<ADDRESS>", "the address of a recipient, such as jane@example.com")
    .option(
      "--account <EMAIL-or-ID>",
      "only in this account: email of one of its users, or its id; default: in all accounts",
    )
    .option("--wait <SECONDS>", "how long to wait for mail that is being submitted or in doubt", readSeconds, 60)
    .example(
      "postern admin erase-address jane@example.com",
      "postern admin erase-address jane@example.com --account ada@shop.example",
    )
    .action(
      onDatabase(
        () => import("./erase-address.ts"),
        ({ runEraseAddress }, context, address: string, options: EraseAddressOptions) =>
          runEraseAddress(context, address, options),
        { statementTimeoutMs: 60_000 },
      ),
    );
}

function deleteAccountCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("delete-account")
    .about(
      "delete an account and all its data: mark it now, delete the data two days later",
      "The first run refuses the keys and log-ins of the account and cancels its queued mail. Run the command again after two days: " +
        "it deletes the data, and workers remove the domains at SES. You can interrupt it and repeat it: it continues.",
    )
    .argument("<EMAIL-or-ID>", "email of a user of the account, or the id of the account")
    .option("--undo", "end the deletion before the data is deleted; cancelled mail stays cancelled")
    .example(
      "postern admin delete-account 0199c0de-0000-7000-8000-000000000001",
      "postern admin delete-account 0199c0de-0000-7000-8000-000000000001 --undo",
    )
    .action(
      onDatabase(
        () => import("./delete-account.ts"),
        ({ runDeleteAccount }, { db }, account: string, options: DeleteAccountOptions) =>
          runDeleteAccount(db, account, options),
        { statementTimeoutMs: 60_000 },
      ),
    );
}

function readSeconds(text: string): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= 86_400) return value;
  throw new InvalidArgumentError(`--wait must be a whole number of seconds from 0 to 86400, not "${text}".`);
}
