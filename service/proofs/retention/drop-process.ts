import { dropOldRecords } from "../../src/storage/old-records.ts";
import { openTestDatabase } from "../../test/template-database.ts";

/** Runs the chore of the retention again and again until it is killed. Its arguments are the database and the days. Sends its parent each run. */
const [url = "", retentionDays = ""] = process.argv.slice(2);
const db = openTestDatabase(url);
process.on("disconnect", () => process.exit(0));
await db.query({ name: "connect", text: "select 1" });
process.send?.("ready");
for (;;) process.send?.(await dropOldRecords(db, Number(retentionDays), 60_000));
