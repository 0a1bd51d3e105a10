import { keyAdditions, keyFields, unknownId } from "../fields.ts";
import type { Tests } from "../suite.ts";

export const keyTests: Tests = {
  "4.7-01": async (check, { admin }) => {
    check.error("a key without a name", await admin.createKey({ type: "test" }), 422, "VALIDATION_ERROR");
    check.error(
      "a key whose name is not a string",
      await admin.createKey({ name: 7, type: "test" }),
      422,
      "VALIDATION_ERROR",
    );
  },
  "4.7-02": async (check, { admin, fixtures }) => {
    check.error("a key without a type", await admin.createKey({ name: "a" }), 422, "VALIDATION_ERROR");
    check.error("an unknown type of key", await admin.createKey({ name: "a", type: "admin" }), 422, "VALIDATION_ERROR");
    const { lasting, expiring } = await fixtures.apiKeys();
    check.equal("the types of the two keys", [lasting.body.type, expiring.body.type], ["live", "test"]);
  },
  "4.7-03": async (check, { admin, fixtures }) => {
    const { lasting, expiring, expiresAt } = await fixtures.apiKeys();
    check.equal("expires_at without a value in the request", lasting.body.expires_at, null);
    check.equal("expires_at from the request", Date.parse(expiring.body.expires_at), Date.parse(expiresAt));
    const bad = await admin.createKey({ name: "a", type: "test", expires_at: "tomorrow" });
    check.error("an invalid time", bad, 422, "VALIDATION_ERROR");
  },
  "4.7-04": async (check, { fixtures }) => {
    const { lasting, expiring } = await fixtures.apiKeys();
    for (const answer of [lasting, expiring]) {
      check.status("creating a key", answer, 201);
      check.fields("the answer", answer.body, [...keyFields, "key"], keyAdditions);
    }
  },
  "4.7-05": async (check, { fixtures, admin }) => {
    const { lasting, list } = await fixtures.apiKeys();
    const { key } = lasting.body;
    check.text("the key", key);
    check.holds("the key is not in the list", !list.text.includes(key));
    const single = await admin.asUser("GET", `/api/v1/api-keys/${lasting.body.id}`);
    check.holds("no answer to a read of the key contains it", !single.text.includes(key));
  },

  "4.8-01": async (check, { fixtures }) => {
    const { lasting, expiring, list } = await fixtures.apiKeys();
    check.status("the list", list, 200);
    check.holds("the answer is an array", Array.isArray(list.body), list.body);
    const ids = list.body.map(({ id }: { id: string }) => id);
    check.holds(
      "the list contains both new keys",
      [lasting, expiring].every(({ body }) => ids.includes(body.id)),
      ids,
    );
  },
  "4.8-02": async (check, { fixtures }) => {
    const { list } = await fixtures.apiKeys();
    check.holds("there are keys", list.body.length > 0);
    for (const key of list.body) check.fields("a listed key", key, keyFields, keyAdditions);
  },
  "4.8-03": async (check, { fixtures, admin }) => {
    const { lasting, expiring, list } = await fixtures.apiKeys();
    const secrets = [lasting.body.key, expiring.body.key, await admin.keyOf.test()];
    for (const secret of secrets) {
      check.text("a full key", secret);
      check.holds("no full key is in the list", !list.text.includes(secret));
    }
  },

  "4.9-01": async (check, { fixtures, admin }) => {
    const { key, path } = await fixtures.revokedKey();
    const { body } = await admin.asUser("GET", "/api/v1/api-keys");
    check.holds(
      "the list does not contain it",
      body.every(({ id }: { id: string }) => id !== key.id),
    );
    check.error("revoking the key again", await admin.asUser("DELETE", path), 404, "NOT_FOUND");
  },
  "4.9-02": async (check, { fixtures }) => {
    const { revocation } = await fixtures.revokedKey();
    check.status("the revocation", revocation, 200);
    check.fields("the body", revocation.body, ["message"]);
    check.text("message", revocation.body.message);
  },
  "4.9-03": async (check, { fixtures }) => {
    const { before, after } = await fixtures.revokedKey();
    check.status("a request with the key before its revocation", before, 404);
    check.error("the next request with the key", after, 401, "UNAUTHORIZED");
  },
  "4.9-04": async (check, { admin }) => {
    check.error("an unknown key", await admin.asUser("DELETE", `/api/v1/api-keys/${unknownId}`), 404, "NOT_FOUND");
  },
  "4.9-05": async (check, { request, other, fixtures }) => {
    const { lasting } = await fixtures.apiKeys();
    const refused = await other().asUser("DELETE", `/api/v1/api-keys/${lasting.body.id}`);
    check.error("revoking a key of another account", refused, 404, "NOT_FOUND");
    const headers = { "x-api-key": lasting.body.key };
    const answer = await request("GET", `/api/v1/send/${unknownId}/status`, { headers });
    check.error("a request with the other account's key", answer, 404, "NOT_FOUND");
  },
};
