import { afterAll, expect, test } from "vitest";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { type NameLocks, openNameLocks } from "./name-locks.ts";

const database = useTestDatabase();
const opened: NameLocks[] = [];
afterAll(async () => {
  for (const locks of opened) await locks.close();
});

test("work for one name runs one at a time, across the connections of several processes", async () => {
  const [one, other] = [openLocks(), openLocks()];
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await database.db.query({ name: "work-a-little", text: "select pg_sleep(0.01)" });
    inside--;
  };
  await Promise.all(Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? one : other).hold("acme.io", work)));
  expect(most).toBe(1);
});

test("work for different names runs concurrently", async () => {
  const locks = openLocks();
  const order: string[] = [];
  await locks.hold("one.io", () => locks.hold("two.io", async () => void order.push("inside both")));
  expect(order).toEqual(["inside both"]);
});

test("a name is free again after its work fails", async () => {
  const locks = openLocks();
  await expect(locks.hold("acme.io", () => Promise.reject(new Error("work failed")))).rejects.toThrow("work failed");
  await expect(locks.hold("acme.io", async () => "free")).resolves.toBe("free");
});

test("a name is free immediately after the process that holds it crashes", async () => {
  const [crashing, next] = [openLocks(), openLocks()];
  const { promise: stuck, resolve: end } = Promise.withResolvers<void>();
  const held = crashing.hold("acme.io", () => stuck);
  await untilHeld();
  const waiting = next.hold("acme.io", async () => "free");
  await database.db.query({
    name: "kill-lock-holders",
    text: `
      select pg_terminate_backend(pid)
      from pg_locks
      where locktype = 'advisory' and granted and pid <> pg_backend_pid()
        and database = (select oid from pg_database where datname = current_database())`,
  });
  expect(await waiting).toBe("free");
  end();
  await held;
});

function openLocks(): NameLocks {
  const locks = openNameLocks({ directUrl: database.url, onIdleError: () => undefined });
  opened.push(locks);
  return locks;
}

async function untilHeld(): Promise<void> {
  for (;;) {
    const held = await database.db.query({
      name: "held-names",
      text: `
        select from pg_locks
        where locktype = 'advisory' and granted
          and database = (select oid from pg_database where datname = current_database())`,
    });
    if (held.length > 0) return;
  }
}
