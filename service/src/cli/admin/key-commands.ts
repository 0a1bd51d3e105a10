import { Option } from "commander";
import { keyScopes } from "../../api-keys/scopes.ts";
import type { OnDatabase } from "../on-database.ts";
import { PosternCommand } from "../postern-command.ts";
import type { CreateKeyOptions } from "./create-key.ts";
import type { RevokeKeyOptions } from "./revoke-key.ts";

const accountOption = "--account <EMAIL-or-ID>";
const accountText = "email of a user of the account, or the id of the account";

export function keyCommands(onDatabase: OnDatabase): PosternCommand[] {
  return [listKeysCommand(onDatabase), createKeyCommand(onDatabase), revokeKeyCommand(onDatabase)];
}

function listKeysCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("list-keys")
    .about(
      "list the API keys of an account, newest first",
      "Prints the id, type, first characters, scopes, domain, last use, expiry, time of creation and name of every key that is not " +
        "revoked.",
    )
    .requiredOption(accountOption, accountText)
    .example("postern admin list-keys --account ada@example.com")
    .action(
      onDatabase(
        () => import("./list-keys.ts"),
        ({ runListKeys }, { db }, { account }: { account: string }) => runListKeys(db, account),
      ),
    );
}

function createKeyCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("create-key")
    .about(
      "create an API key for an account; print it once",
      "It needs the settings API_KEY_PEPPER and CELL_CODE of the API: a key created with another pepper is refused.",
    )
    .requiredOption(accountOption, accountText)
    .addOption(
      new Option("--type <TYPE>", "live sends real mail; test never does")
        .choices(["live", "test"])
        .makeOptionMandatory(),
    )
    .requiredOption("--name <NAME>", "label of the key, 1 to 200 characters")
    .addOption(
      new Option("--scope <SCOPE...>", "what the key may do; repeat it for several")
        .choices(keyScopes)
        .default(undefined, "send"),
    )
    .option("--domain <DOMAIN>", "the only domain it may send from; then its scope is send (default: all domains)")
    .option("--expires-at <TIME>", "when the key expires, such as 2027-01-31T12:00:00Z (default: never)")
    .example(
      'postern admin create-key --account ada@example.com --type test --name "first steps"',
      'postern admin create-key --account ada@example.com --type live --name "billing server" --expires-at 2027-01-31T12:00:00Z',
      'postern admin create-key --account ada@example.com --type live --name "support tool" --scope read --scope suppressions',
      'postern admin create-key --account ada@example.com --type live --name "web shop" --domain shop.example.com',
    )
    .action(
      onDatabase(
        () => import("./create-key.ts"),
        ({ runCreateKey }, context, options: CreateKeyOptions) => runCreateKey(context, options),
      ),
    );
}

function revokeKeyCommand(onDatabase: OnDatabase): PosternCommand {
  return new PosternCommand("revoke-key")
    .about(
      "revoke an API key of any account",
      "The API refuses a revoked key from the next request on. A revocation cannot be undone. Mail that the key has queued still " +
        "goes out, unless you add --cancel-queued: then queued mail ends as failed with CANCELLED, and the command lists every send " +
        "of the key with its status. Mail that a worker is submitting cannot be cancelled.",
    )
    .argument("ID", "id of the key, as `postern admin list-keys` prints it")
    .option("--cancel-queued", "cancel the queued mail of the key and list everything that it sent")
    .example(
      "postern admin revoke-key 01a1de08-c60b-7e09-9a1f-2112aa858c67",
      "postern admin revoke-key 01a1de08-c60b-7e09-9a1f-2112aa858c67 --cancel-queued",
    )
    .action(
      onDatabase(
        () => import("./revoke-key.ts"),
        ({ runRevokeKey }, { db }, id: string, options: RevokeKeyOptions) => runRevokeKey(db, id, options),
      ),
    );
}
