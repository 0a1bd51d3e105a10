import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import type { Database } from "../../service/src/db/database.ts";
import { listSuppressions } from "../../service/src/suppressions/suppression-store.ts";
import { anAccount } from "../../service/test/builders.ts";
import { copyTemplate, openTestDatabase } from "../../service/test/template-database.ts";
import { root } from "./container-file.ts";

const hasPsql = spawnSync("psql", ["--version"]).status === 0;

test.skipIf(!hasPsql)(
  "the commands in docs/scale.md move the suppressions of one account to another cell and are repeatable",
  async () => {
    const [old, next] = [await aCell(), await aCell()];
    const [from, other, to] = [await anAccount(old.db), await anAccount(old.db), await anAccount(next.db)];
    await suppress(old.db, from, ["bounced@example.com", "complained@example.com"]);
    await suppress(old.db, other, ["not-mine@example.com"]);
    await suppress(next.db, to, ["complained@example.com"]);
    for (let times = 0; times < 2; times++) moveSuppressions({ OLD: old.url, NEW: next.url, FROM: from, TO: to });

    const list = (db: Database, accountId: string) =>
      listSuppressions(db.forAccount(accountId), ["live"], { limit: 100, offset: 0 });
    const { total, suppressions } = await list(next.db, to);
    expect(total).toBe(2);
    expect(suppressions.map(({ email }) => email).toSorted()).toEqual([
      "bounced@example.com",
      "complained@example.com",
    ]);
    const [before] = (await list(old.db, from)).suppressions.filter(({ email }) => email.startsWith("bounced"));
    expect(suppressions).toContainEqual(before);
  },
);

async function aCell() {
  const copy = await copyTemplate(inject("serverUrl"));
  const db = openTestDatabase(copy.url);
  onTestFinished(async () => {
    await db.close();
    await copy.drop();
  });
  return { url: copy.url, db };
}

async function suppress(db: Database, accountId: string, emails: string[]): Promise<void> {
  await db.query({
    name: "suppress-by-hand",
    text: `
      insert into suppressions (id, account_id, mode, email, reason)
      select new_id_at(now()), $1, 'live', email, 'hard_bounce'
      from unnest($2::text[]) as s (email)`,
    values: [accountId, emails],
  });
}

/** Runs the code block of the guide that contains psql. */
function moveSuppressions(settings: Record<string, string>): void {
  const guide = readFileSync(join(root, "docs/scale.md"), "utf8");
  const block = [...guide.matchAll(/^ *```bash\n([\s\S]*?)^ *```/gm)].map(([, code = ""]) => code);
  const script = block.find((code) => code.includes("psql"))?.replaceAll(/^ {3}/gm, "") ?? "exit 1";
  const folder = mkdtempSync(join(tmpdir(), "postern-move-"));
  try {
    execFileSync("bash", ["-e"], {
      cwd: folder,
      input: script,
      env: { PATH: process.env.PATH, ...settings },
      stdio: "pipe",
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
