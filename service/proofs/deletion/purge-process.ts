import { systemActor } from "../../src/actor.ts";
import { purgeAccount } from "../../src/data-rights/purge-account.ts";
import { openTestDatabase } from "../../test/template-database.ts";

/** Purges an account, as the command does, until it is killed. Its arguments are the database and the account. Reports its progress. */
const [url = "", accountId = ""] = process.argv.slice(2);
const db = openTestDatabase(url);
process.on("disconnect", () => process.exit(0));

await purgeAccount(db, accountId, systemActor, (table) => process.send?.({ table }));
await db.close();
process.disconnect?.();
