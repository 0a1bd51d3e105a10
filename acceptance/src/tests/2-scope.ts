import type { Account } from "../account.ts";
import type { Answer } from "../client.ts";
import { listAll } from "../list-all.ts";
import type { TestContext, Tests } from "../suite.ts";

export const scopeTests: Tests = {
  "2-01": async (check, { other, fixtures }) => {
    const otherAccount = other();
    const [send, bounce, { name }, key] = [
      await fixtures.delivered(),
      await fixtures.bounced(),
      await fixtures.domain(),
      await fixtures.apiKeys(),
    ];
    const events = await listAll(otherAccount, "/api/v1/events");
    check.holds(
      "no event of the send is listed",
      events.every(({ email_id }) => email_id !== send.accepted.id),
    );
    const entries = await listAll(otherAccount, "/api/v1/suppression");
    check.holds(
      "the suppressed address is not listed",
      entries.every(({ email }) => email !== bounce.address),
    );
    const keys: Answer["body"][] = (await otherAccount.asUser("GET", "/api/v1/api-keys")).body;
    check.holds(
      "the key is not listed",
      keys.every(({ id }) => id !== key.lasting.body.id),
    );
    const domains: Answer["body"][] = (await otherAccount.asUser("GET", "/api/v1/domains")).body;
    check.holds(
      "the domain is not listed",
      domains.every(({ domain_name }) => domain_name !== name),
    );
  },
  "2-02": async (check, context) => {
    for (const [what, answer] of await requestForeignResources(context, context.other())) {
      check.error(what, answer, 404, "NOT_FOUND");
    }
  },
};

/** The second account requests each resource of the first. */
export async function requestForeignResources(
  { fixtures }: TestContext,
  otherAccount: Account,
): Promise<[string, Answer][]> {
  const [send, bounce, domain, key] = [
    await fixtures.delivered(),
    await fixtures.bounced(),
    await fixtures.domain(),
    await fixtures.apiKeys(),
  ];
  const email = encodeURIComponent(bounce.address);
  return [
    ["the status of a send of another account", await otherAccount.status("test", send.accepted.id)],
    ["a domain of another account", await otherAccount.asUser("GET", domain.path)],
    ["removing a domain of another account", await otherAccount.asUser("DELETE", domain.path)],
    [
      "revoking a key of another account",
      await otherAccount.asUser("DELETE", `/api/v1/api-keys/${key.lasting.body.id}`),
    ],
    ["removing a suppression of another account", await otherAccount.asUser("DELETE", `/api/v1/suppression/${email}`)],
  ];
}
