import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { anAccount, aUser } from "../../../test/builders.ts";
import { moveIn, moveOut } from "../../../test/moving-account.ts";
import { aSeparateDatabase, runPostern } from "../../../test/run-postern.ts";
import { posternPath } from "../../../test/spawn-postern.ts";
import { copyTemplate } from "../../../test/template-database.ts";
import { holdAccount, suspendAccount } from "../../accounts/account-store.ts";

describe("postern admin list-accounts", () => {
  test("prints id, creation, state, email of the first user and name", async () => {
    const { url, db } = await aSeparateDatabase(copyTemplate);
    const first = await aUser(db);
    await aUser(db, { accountId: first.accountId });
    const suspended = await anAccount(db, { name: "Late \u{1b}[31mpayer" });
    await suspendAccount(db, suspended);
    const onHold = await aUser(db);
    await holdAccount(db, onHold.accountId, undefined);
    const [leaving, coming, gone] = [await anAccount(db), await anAccount(db), await anAccount(db)];
    await moveOut(db, leaving, "held");
    await moveIn(db, coming, "copying");
    await moveOut(db, gone, "released");
    const { code, stdout } = await runPostern(["admin", "list-accounts"], { DATABASE_URL: url });
    expect(code).toBe(0);
    const [head = "", ...rows] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^ID +CREATED +STATE +EMAIL +NAME$/);
    const expected = [
      [first.accountId, "TIME", "active", first.email, "An account"],
      [suspended, "TIME", "suspended", "(no user)", "Late \u{fffd}[31mpayer"],
      [onHold.accountId, "TIME", "on hold", onHold.email, "An account"],
      [leaving, "TIME", "moving", "(no user)", "An account"],
      [coming, "TIME", "moving", "(no user)", "An account"],
      [gone, "TIME", "moved", "(no user)", "An account"],
    ];
    // Ids of one millisecond are in no order.
    expect(rows.map((row) => row.replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/, "TIME").split(/ {2,}/))).toEqual(
      expected.toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1)),
    );
  });

  test("lists every account of several pages once, in order, and ends quietly when the output is closed", async () => {
    const { url, db } = await aSeparateDatabase(copyTemplate);
    await db.query({
      name: "many-accounts",
      text: "insert into accounts (id, name) select gen_random_uuid(), 'Number ' || n from generate_series(1, 1001) n",
    });
    const { stdout } = await runPostern(["admin", "list-accounts"], { DATABASE_URL: url });
    const ids = [...stdout.matchAll(/^(\S{36}) /gm)].map(([, id = ""]) => id);
    expect(new Set(ids).size).toBe(1001);
    expect(ids).toEqual(ids.toSorted((one, other) => (one < other ? -1 : 1)));

    const script = `set -o pipefail; "${process.execPath}" "${posternPath}" admin list-accounts | head -1`;
    const piped = spawnSync("bash", ["--norc", "-c", script], {
      env: { PATH: process.env.PATH, DATABASE_URL: url },
      encoding: "utf8",
    });
    expect(piped).toMatchObject({ status: 0, stderr: "", stdout: expect.stringMatching(/^ID .*\n$/) });
  });
});

test("a command that would change an account that moves says so, without a stack", async () => {
  const { url, db } = await aSeparateDatabase(copyTemplate);
  const user = await aUser(db);
  await moveOut(db, user.accountId, "held");
  const { code, stderr } = await runPostern(["admin", "resume", "--email", user.email], { DATABASE_URL: url });
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^This account is moving to another cell.*\n$/)]);
});
