import { expect, test } from "vitest";
import { aUser } from "../../test/builders.ts";
import { useTestApi } from "../../test/use-test-api.ts";
import { logIn } from "./log-in.ts";
import { resetPassword } from "./reset-password.ts";

const api = useTestApi();

test("refusing an unknown user takes as long as refusing a wrong password", async () => {
  const user = await aUser(api.database.db);
  const times = { known: [] as number[], unknown: [] as number[] };
  for (let round = 0; round < 15; round++) {
    times.known.push(await timeToRefuse(user.email, `10.1.0.${round}`));
    times.unknown.push(await timeToRefuse(`nobody-${round}@example.com`, `10.2.0.${round}`));
  }
  const ratio = median(times.known) / median(times.unknown);
  // Without a hash for unknown users the ratio is about 0.05; the bounds allow for a busy machine.
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});

test("no login made with the old password survives a concurrent password reset", async () => {
  for (let round = 0; round < 10; round++) {
    const user = await aUser(api.database.db);
    const racing = Array.from({ length: 4 }, (_, index) =>
      logIn(api.database.db, api.deps.loginDeps, { ...user, address: `10.4.${round}.${index}` }),
    );
    const resetting = resetPassword(api.database.db, user.email);
    await Promise.allSettled([...racing, resetting]);
    const rows = await api.database.db.query({
      name: "open-logins-of",
      text: "select id from logins where user_id = $1",
      values: [user.id],
    });
    expect(rows).toHaveLength(0);
  }
});

test("a user with many open logins keeps the newest hundred", async () => {
  const user = await aUser(api.database.db);
  await api.database.db.query({
    name: "many-logins",
    text: `
      insert into logins (id, user_id, created_at, expires_at)
      select gen_random_uuid(), $1, now() - make_interval(mins => n), now() + interval '1 day'
      from generate_series(1, 150) as n`,
    values: [user.id],
  });
  await logIn(api.database.db, api.deps.loginDeps, { ...user, address: "10.3.0.1" });
  const [row] = await api.database.db.query<{ logins: number }>({
    name: "count-logins",
    text: "select count(*) as logins from logins where user_id = $1",
    values: [user.id],
  });
  expect(row?.logins).toBe(100);
});

test("the next log-in deletes the user's expired logins", async () => {
  const user = await aUser(api.database.db);
  const open = () => logIn(api.database.db, api.deps.loginDeps, { ...user, address: "10.3.0.2" });
  await open();
  await api.database.db.query({
    name: "expire-logins",
    text: "update logins set expires_at = now() where user_id = $1",
    values: [user.id],
  });
  await open();
  const rows = await api.database.db.query({
    name: "logins-of",
    text: "select id from logins where user_id = $1",
    values: [user.id],
  });
  expect(rows).toHaveLength(1);
});

async function timeToRefuse(email: string, address: string): Promise<number> {
  const started = performance.now();
  await expect(logIn(api.database.db, api.deps.loginDeps, { email, password: "wrong", address })).rejects.toThrow();
  return performance.now() - started;
}

function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}
