import { beforeEach, expect, test } from "vitest";
import { anOperator } from "../../test/operator-user.ts";
import { change } from "../../test/send-rows.ts";
import type { TotpUser } from "../../test/totp-user.ts";
import { useTestApi } from "../../test/use-test-api.ts";
import { setOperator } from "../accounts/operator-store.ts";
import { lockOperator, type OperatorState } from "./operator-login.ts";

const api = useTestApi();
let [operator, loginId]: [TotpUser | undefined, string] = [undefined, ""];

beforeEach(async () => {
  operator = await anOperator(api);
  const newest = "select id from logins where user_id = $1 order by id desc limit 1";
  loginId = String((await change(api.database.db, newest, [operator.id]))[0]?.id);
});

test("taking the flag waits for an action that has checked it", async () => {
  const order: string[] = [];
  let taken: Promise<unknown> | undefined;
  await api.database.db.withTransaction(async (tx) => {
    expect(await lockOperator(tx, loginId)).toBe("operator");
    taken = setOperator(api.database.db, operator?.email ?? "", false).then(() => order.push("taken"));
    await halfASecond();
    order.push("acted");
  });
  await taken;
  expect(order).toEqual(["acted", "taken"]);
});

test("an action waits for a flag that is just being taken, and then finds it gone", async () => {
  let found: Promise<OperatorState | undefined> | undefined;
  await api.database.db.withTransaction(async (tx) => {
    await setOperator(tx, operator?.email ?? "", false);
    found = api.database.db.withTransaction((other) => lockOperator(other, loginId));
    await halfASecond();
  });
  expect(await found).toBe("not-an-operator");
});

test("an ended login is none of an operator", async () => {
  await change(api.database.db, "delete from logins where id = $1", [loginId]);
  expect(await api.database.db.withTransaction((tx) => lockOperator(tx, loginId))).toBeUndefined();
});

function halfASecond() {
  return new Promise((resolve) => setTimeout(resolve, 500));
}
