import type { Account } from "../account.ts";
import type { Answer } from "../client.ts";
import { listAll } from "../list-all.ts";
import type { Tests } from "../suite.ts";
import type { World } from "../world.ts";

export const scopeTests: Tests = {
  "2-01": async (check, { other, scenes }) => {
    const stranger = other();
    const [send, bounce, { name }, key] = [
      await scenes.delivered(),
      await scenes.bounced(),
      await scenes.domain(),
      await scenes.key(),
    ];
    const events = await listAll(stranger, "/api/v1/events");
    check.holds(
      "no event of the send is listed",
      events.every(({ email_id }) => email_id !== send.accepted.id),
    );
    const entries = await listAll(stranger, "/api/v1/suppression");
    check.holds(
      "the suppressed address is not listed",
      entries.every(({ email }) => email !== bounce.address),
    );
    const keys: Answer["body"][] = (await stranger.asUser("GET", "/api/v1/api-keys")).body;
    check.holds(
      "the key is not listed",
      keys.every(({ id }) => id !== key.lasting.body.id),
    );
    const domains: Answer["body"][] = (await stranger.asUser("GET", "/api/v1/domains")).body;
    check.holds(
      "the domain is not listed",
      domains.every(({ domain_name }) => domain_name !== name),
    );
  },
  "2-02": async (check, world) => {
    for (const [what, answer] of await askForForeignThings(world, world.other())) {
      check.error(what, answer, 404, "NOT_FOUND");
    }
  },
};

/** Each resource of the first account, asked for by the second. */
export async function askForForeignThings({ scenes }: World, stranger: Account): Promise<[string, Answer][]> {
  const [send, bounce, domain, key] = [
    await scenes.delivered(),
    await scenes.bounced(),
    await scenes.domain(),
    await scenes.key(),
  ];
  const email = encodeURIComponent(bounce.address);
  return [
    ["the status of another's send", await stranger.status("test", send.accepted.id)],
    ["another's domain", await stranger.asUser("GET", domain.path)],
    ["removing another's domain", await stranger.asUser("DELETE", domain.path)],
    ["revoking another's key", await stranger.asUser("DELETE", `/api/v1/api-keys/${key.lasting.body.id}`)],
    [
      "removing another's suppression",
      await stranger.asUser("DELETE", `/api/v1/suppression/${email}`, { query: { mode: "test" } }),
    ],
  ];
}
