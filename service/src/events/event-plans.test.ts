import { beforeAll, describe, expect, test } from "vitest";
import { anAccount } from "../../test/builders.ts";
import { costOf } from "../../test/explain.ts";
import { change } from "../../test/send-rows.ts";
import { stopAutovacuum } from "../../test/stop-autovacuum.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import type { Mode } from "../mode.ts";
import { findEvents, listEvents } from "./event-store.ts";

const database = useTestDatabase();
let [large, small] = ["", ""];

/** An account has half of all events, all of them live deliveries. Of the others, every fifth is of a test mail. */
beforeAll(async () => {
  [large, small] = [await anAccount(database.db), await anAccount(database.db)];
  await stopAutovacuum(database.db, "events");
  await change(
    database.db,
    `insert into events (id, send_id, account_id, mode, event_type, event_at, recipient)
     select new_id_at(now() - n * interval '1 s'), gen_random_uuid(), case when n % 2 = 0 then $1::uuid else $2::uuid end,
       case when n % 10 = 7 then 'test' else 'live' end, case when n % 2 = 1 and n % 3 = 0 then 'Bounce' else 'Delivery' end,
       now() - n * interval '1 s', 'to-' || n || '@example.test'
     from generate_series(20000, 1, -1) as n`,
    [large, small],
  );
});

describe.for(["without statistics", "with fresh statistics"])("%s", (statistics) => {
  beforeAll(async () => {
    if (statistics === "with fresh statistics") await change(database.db, "analyze events");
  });

  test.for([
    ["of both modes in an account without test mails", () => large, ["live", "test"], undefined],
    ["of test mails in an account without them", () => large, ["test"], undefined],
    ["of a type that the account does not have", () => large, ["live", "test"], "Bounce"],
    ["of both modes in another account", () => small, ["live", "test"], undefined],
  ] as const)("the list %s reads a few rows", async ([, accountId, modes, type]) => {
    const { rowsRead, pagesRead } = await costOf(database.db.forAccount(accountId()), (db) =>
      listEvents(db, modes as readonly Mode[], { type, limit: 1, offset: 0 }),
    );
    expect(rowsRead).toBeLessThanOrEqual(100);
    expect(pagesRead).toBeLessThanOrEqual(500);
  });

  test("the list by cursor of both modes in an account without test mails reads a few rows", async () => {
    const filter = { type: undefined, sendId: undefined, recipient: undefined };
    const page = { before: undefined, since: undefined, until: undefined, limit: 1 };
    const { rowsRead } = await costOf(database.db.forAccount(large), (db) =>
      findEvents(db, ["live", "test"], { ...filter, ...page }),
    );
    expect(rowsRead).toBeLessThanOrEqual(100);
  });
});
