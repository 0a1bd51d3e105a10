import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { aUser } from "../../test/builders.ts";
import { change } from "../../test/send-rows.ts";
import { useTestDatabase } from "../../test/use-test-database.ts";
import { resetPassword } from "./reset-password.ts";

const database = useTestDatabase();

test("a reset by the operator ends the open reset links of this user, and of no other", async () => {
  const [user, other] = [await aUser(database.db), await aUser(database.db)];
  for (const { id } of [user, user, other]) {
    const insert =
      "insert into password_resets (token_hash, user_id, expires_at) values ($1, $2, now() + interval '1 hour')";
    await change(database.db, insert, [randomBytes(32), id]);
  }
  await resetPassword(database.db, user.email);
  expect(await change(database.db, "select user_id from password_resets")).toEqual([{ user_id: other.id }]);
});
