import { beforeAll, expect, test } from "vitest";
import { aLogin } from "../../test/builders.ts";
import { aSuppression } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { aSystemAccount, mailsTo, systemSender } from "../../test/system-mail-fixture.ts";
import { aConfig } from "../../test/test-config.ts";
import { useTestApi } from "../../test/use-test-api.ts";

const api = useTestApi({ SYSTEM_SENDER: systemSender, PUBLIC_URL: "https://mail.example.com" });
let systemAccountId = "";

beforeAll(async () => {
  systemAccountId = await aSystemAccount(api.database.db);
});

test("with SYSTEM_SENDER the owner never gets the link, also when the address is suppressed or the sender cannot send", async () => {
  await aSuppression(api.database.db, { accountId: systemAccountId, email: "suppressed@example.com" });
  const answers = [await invite("jane@example.com"), await invite("suppressed@example.com")];
  await change(api.database.db, "update domains set verification_status = 'Failed' where account_id = $1", [
    systemAccountId,
  ]);
  answers.push(await invite("joe@example.com"));
  await change(api.database.db, "update domains set verification_status = 'Success' where account_id = $1", [
    systemAccountId,
  ]);
  expect(answers).toEqual(answers.map(() => ({ status: 201, mailed: true, link: null })));
});

test("one address gets at most 20 invitation mails an hour from all accounts, and the answer does not show it", async () => {
  const email = "popular@example.com";
  const answers = [];
  for (let count = 0; count < 22; count++) answers.push(await invite(email));
  expect(answers).toEqual(answers.map(() => ({ status: 201, mailed: true, link: null })));
  expect(await mailsTo(api.database.db, aConfig().secrets.contentKey, email)).toHaveLength(20);
});

/** By the owner of a new account. */
async function invite(email: string) {
  const { accessToken } = await aLogin(api.database.db, api.deps.loginDeps);
  const body = { email, role: "viewer" };
  const answer = await api.call({ method: "POST", path: "/api/v1/invitations", token: accessToken, body });
  const { mailed, link } = answer.json();
  return { status: answer.status, mailed, link };
}
