import { keyAdditions, keyFields } from "../fields.ts";
import { eventsOf } from "../list-all.ts";
import type { Tests } from "../suite.ts";

export const keyFieldTests: Tests = {
  "2.2-01": async (check, { fixtures }) => {
    const { lasting, listed } = await fixtures.apiKeys();
    check.uuid("id", lasting.body.id);
    check.equal("id in the list", listed?.id, lasting.body.id);
  },
  "2.2-02": async (check, { fixtures }) => {
    const { lasting, listed } = await fixtures.apiKeys();
    check.equal("name", lasting.body.name, "acceptance lasting");
    check.equal("name in the list", listed?.name, "acceptance lasting");
  },
  "2.2-03": async (check, { fixtures }) => {
    const { lasting, expiring } = await fixtures.apiKeys();
    check.equal("type of a live key", lasting.body.type, "live");
    check.equal("type of a test key", expiring.body.type, "test");
  },
  "2.2-04": async (check, { fixtures }) => {
    const { key, key_prefix } = (await fixtures.apiKeys()).lasting.body;
    check.matches("key_prefix", key_prefix, /^.+\.\.\.$/);
    const shown = String(key_prefix).slice(0, -3);
    check.holds("the key begins with key_prefix", key.startsWith(shown), key_prefix);
    const secret = key.slice(key.indexOf("_live_") + 6);
    const hidden = key.length - shown.length;
    check.holds("key_prefix hides more than three quarters of the secret", hidden > secret.length * 0.75, key_prefix);
  },
  "2.2-05": async (check, { fixtures }) => {
    const { lasting, expiring, expiresAt } = await fixtures.apiKeys();
    check.equal("expires_at of a key that does not expire", lasting.body.expires_at, null);
    check.timestamp("expires_at", expiring.body.expires_at);
    check.equal("the expiry time", Date.parse(expiring.body.expires_at), Date.parse(expiresAt));
  },
  "2.2-06": async (check, { fixtures }) => {
    const { lasting, listed } = await fixtures.apiKeys();
    check.timestamp("created_at", lasting.body.created_at);
    check.equal("created_at in the list", listed?.created_at, lasting.body.created_at);
  },
  "2.2-07": async (check, { fixtures }) => {
    const { lasting, listed } = await fixtures.apiKeys();
    check.text("key", lasting.body.key);
    check.fields("a listed key", listed, keyFields, keyAdditions);
  },
  "2.2-08": async (check, { fixtures }) => {
    const { lasting, expiring } = await fixtures.apiKeys();
    check.matches("a live key", lasting.body.key, /^[A-Za-z0-9]+_live_[A-Za-z0-9_-]{32,}$/);
    check.matches("a test key", expiring.body.key, /^[A-Za-z0-9]+_test_[A-Za-z0-9_-]{32,}$/);
    const prefix = (key: string) => key.split("_")[0];
    check.equal("the service prefix", prefix(expiring.body.key), prefix(lasting.body.key));
  },
  "2.2-09": async (check, { admin, fixtures }) => {
    const { accepted, record } = await fixtures.liveSend();
    check.equal("the status of mail to SES's own mailboxes", record.status, "delivered");
    check.text("provider_message_id", record.provider_message_id);
    const events = await eventsOf(admin, accepted.id);
    check.sameSet(
      "the events of both recipients",
      events.map(({ event_type, recipient }) => `${event_type} ${recipient}`),
      record.to_addresses.map((address: string) => `Delivery ${address}`),
    );
  },
  "2.2-10": async (check, { admin, fixtures }) => {
    const { accepted, record } = await fixtures.delivered();
    check.equal("the status of mail to the sandbox", record.status, "delivered");
    const seenByLiveKey = await admin.status("live", accepted.id);
    check.error("test mail read with a live key", seenByLiveKey, 404, "NOT_FOUND");
  },
};
