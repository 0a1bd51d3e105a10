import { describe, expect, test } from "vitest";
import { aSeparateDatabase, runPostern } from "../../test/run-postern.ts";
import { copyTemplate, createEmptyDatabase } from "../../test/template-database.ts";
import { knownMigrations } from "../db/migrate.ts";
import { inspectPartitions } from "../storage/partitions.ts";

describe("postern migrate", () => {
  test("two concurrent runs on an empty database both end with code 0, and each migration is reported once", async () => {
    const { url, db } = await aSeparateDatabase(createEmptyDatabase);
    const both = await Promise.all([
      runPostern(["migrate"], { DATABASE_URL: url }),
      runPostern(["migrate"], { DATABASE_URL: url }),
    ]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const applied = both.flatMap(({ stdout }) => [...stdout.matchAll(/^applied (.+)$/gm)].map(([, name]) => name));
    expect(applied).toEqual(knownMigrations());
    const waited = both
      .map(({ stdout }) => stdout)
      .find((stdout) => stdout.includes("another `postern migrate` is running"));
    expect(waited).toMatch(/\nThe schema is up to date\.\n$/);
    for (const { coversNow, isDefaultUsed } of await inspectPartitions(db)) {
      expect({ coversNow, isDefaultUsed }).toEqual({ coversNow: true, isDefaultUsed: false });
    }
  });

  test("when partitions cannot be created it ends with code 1 and names the table and the reason", async () => {
    const { url, db } = await aSeparateDatabase(copyTemplate);
    await db.query({
      name: "detach-newest-partition",
      text: `
        do $$
        declare newest text;
        begin
          select name into newest from partition_ranges where parent = 'sends' order by ends_at desc nulls last limit 1;
          execute format('alter table sends detach partition %I', newest);
        end
        $$`,
    });
    const { code, stderr } = await runPostern(["migrate"], { DATABASE_URL: url });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^Postern could not create partitions\. .*\n {2}- sends: /),
    });
  });
});
