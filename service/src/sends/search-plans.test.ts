import { beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { costOf } from "../../test/explain.ts";
import { change } from "../../test/send-rows.ts";
import { stopAutovacuum } from "../../test/stop-autovacuum.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Mode } from "../mode.ts";
import { listSends } from "./list-sends.ts";

const database = useTestDatabase();
let [large, small] = ["", ""];

/** An account has half of all sends, all of them live. Of the others, every fifth is a test mail. */
beforeAll(async () => {
  [large, small] = [await anAccount(database.db), await anAccount(database.db)];
  await stopAutovacuum(database.db, "sends");
  await change(
    database.db,
    `insert into sends (id, account_id, mode, status, from_address, to_addresses, to_count, cc_count, subject)
     select new_id_at(now() - n * interval '1 s'), case when n % 2 = 0 then $1::uuid else $2::uuid end,
       case when n % 10 = 7 then 'test' else 'live' end, 'sent', 'a@shop.test', array['to-' || n || '@example.test'], 1, 0, 'Hello'
     from generate_series(20000, 1, -1) as n`,
    [large, small],
  );
});

describe.for(["without statistics", "with fresh statistics"])("%s", (statistics) => {
  beforeAll(async () => {
    if (statistics === "with fresh statistics") await change(database.db, "analyze sends");
  });

  test.for([
    ["of both modes in an account without test mails", () => large, ["live", "test"]],
    ["of test mails in an account without them", () => large, ["test"]],
    ["of both modes in another account", () => small, ["live", "test"]],
  ] as const)("a search %s reads a few rows of each partition", async ([, accountId, modes]) => {
    const filter = { fromDomains: undefined, providerMessageId: undefined, apiKeyId: undefined, status: undefined };
    const page = { before: undefined, since: undefined, until: undefined, limit: 50 };
    const { rowsRead, pagesRead } = await costOf(database.db.forAccount(accountId()), (db) =>
      listSends(db, modes as readonly Mode[], { ...filter, ...page, recipient: "to-9999@example.test" }),
    );
    expect(rowsRead).toBeLessThanOrEqual(100);
    expect(pagesRead).toBeLessThanOrEqual(1_500);
  });

  test("the list of both modes in an account without test mails reads a few rows of each partition", async () => {
    const filter = { fromDomains: undefined, providerMessageId: undefined, apiKeyId: undefined, status: undefined };
    const page = { before: undefined, since: undefined, until: undefined, recipient: undefined, limit: 1 };
    const { rowsRead } = await costOf(database.db.forAccount(large), (db) =>
      listSends(db, ["live", "test"], { ...filter, ...page }),
    );
    expect(rowsRead).toBeLessThanOrEqual(100);
  });
});
