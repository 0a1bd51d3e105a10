import { systemActor } from "../../src/actor.ts";
import { readContentKeys } from "../../src/config.ts";
import { eraseAddress } from "../../src/data-rights/erase-address.ts";
import { openTestDatabase } from "../../test/template-database.ts";

/**
 * Erases addresses one after the other, as the command does, until it is killed. Its arguments are the database, the content key and the addresses. Sends its
 * parent each step, and each address that is erased.
 */
const [url = "", contentKey = "", addresses = "[]"] = process.argv.slice(2);
const db = openTestDatabase(url);
process.on("disconnect", () => process.exit(0));

for (const address of JSON.parse(addresses) as string[]) {
  await eraseAddress(db, {
    address,
    accountId: undefined,
    contentKeys: readContentKeys({ CONTENT_KEY: contentKey }),
    actor: systemActor,
    waitSeconds: 120,
    onProgress: (step) => process.send?.({ step }),
  });
  process.send?.({ erased: address });
}
await db.close();
process.disconnect?.();
