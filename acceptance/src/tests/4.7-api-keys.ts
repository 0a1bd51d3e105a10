import { keyFields, unknownId } from "../fields.ts";
import type { Tests } from "../suite.ts";

export const keyTests: Tests = {
  "4.7-01": async (check, { admin }) => {
    check.error("a key without name", await admin.createKey({ type: "test" }), 422, "VALIDATION_ERROR");
    check.error("a name that is no string", await admin.createKey({ name: 7, type: "test" }), 422, "VALIDATION_ERROR");
  },
  "4.7-02": async (check, { admin, scenes }) => {
    check.error("a key without type", await admin.createKey({ name: "a" }), 422, "VALIDATION_ERROR");
    check.error("another type", await admin.createKey({ name: "a", type: "admin" }), 422, "VALIDATION_ERROR");
    const { lasting, expiring } = await scenes.key();
    check.equal("the two types", [lasting.body.type, expiring.body.type], ["live", "test"]);
  },
  "4.7-03": async (check, { admin, scenes }) => {
    const { lasting, expiring, expiresAt } = await scenes.key();
    check.equal("expires_at when left out", lasting.body.expires_at, null);
    check.equal("expires_at when given", Date.parse(expiring.body.expires_at), Date.parse(expiresAt));
    const bad = await admin.createKey({ name: "a", type: "test", expires_at: "tomorrow" });
    check.error("a time that is none", bad, 422, "VALIDATION_ERROR");
  },
  "4.7-04": async (check, { scenes }) => {
    const { lasting, expiring } = await scenes.key();
    for (const answer of [lasting, expiring]) {
      check.status("making a key", answer, 201);
      check.fields("the answer", answer.body, [...keyFields, "key"]);
    }
  },
  "4.7-05": async (check, { scenes, admin }) => {
    const { lasting, list } = await scenes.key();
    const { key } = lasting.body;
    check.text("the key", key);
    check.holds("it is not in the list", !list.text.includes(key));
    const single = await admin.asUser("GET", `/api/v1/api-keys/${lasting.body.id}`);
    check.holds("it cannot be asked for", !single.text.includes(key));
  },

  "4.8-01": async (check, { scenes }) => {
    const { lasting, expiring, list } = await scenes.key();
    check.status("the list", list, 200);
    check.holds("it is an array", Array.isArray(list.body), list.body);
    const ids = list.body.map(({ id }: { id: string }) => id);
    check.holds(
      "both new keys are in it",
      [lasting, expiring].every(({ body }) => ids.includes(body.id)),
      ids,
    );
  },
  "4.8-02": async (check, { scenes }) => {
    const { list } = await scenes.key();
    check.holds("there are keys", list.body.length > 0);
    for (const key of list.body) check.fields("a listed key", key, keyFields);
  },
  "4.8-03": async (check, { scenes, admin }) => {
    const { lasting, expiring, list } = await scenes.key();
    const secrets = [lasting.body.key, expiring.body.key, await admin.keyOf.test()];
    for (const secret of secrets) {
      check.text("a full key", secret);
      check.holds("no full key is in the list", !list.text.includes(secret));
    }
  },

  "4.9-01": async (check, { scenes, admin }) => {
    const { key, path } = await scenes.revokedKey();
    const { body } = await admin.asUser("GET", "/api/v1/api-keys");
    check.holds(
      "it is not listed",
      body.every(({ id }: { id: string }) => id !== key.id),
    );
    check.error("revoking it again", await admin.asUser("DELETE", path), 404, "NOT_FOUND");
  },
  "4.9-02": async (check, { scenes }) => {
    const { revocation } = await scenes.revokedKey();
    check.status("the revocation", revocation, 200);
    check.fields("its body", revocation.body, ["message"]);
    check.text("message", revocation.body.message);
  },
  "4.9-03": async (check, { scenes }) => {
    const { before, after } = await scenes.revokedKey();
    check.status("a request with the key before", before, 404);
    check.error("the next request with the key", after, 401, "UNAUTHORIZED");
  },
  "4.9-04": async (check, { admin }) => {
    check.error("an unknown key", await admin.asUser("DELETE", `/api/v1/api-keys/${unknownId}`), 404, "NOT_FOUND");
  },
  "4.9-05": async (check, { ask, other, scenes }) => {
    const { lasting } = await scenes.key();
    const foreign = await other().asUser("DELETE", `/api/v1/api-keys/${lasting.body.id}`);
    check.error("revoking another's key", foreign, 404, "NOT_FOUND");
    const headers = { "x-api-key": lasting.body.key };
    const answer = await ask("GET", `/api/v1/send/${unknownId}/status`, { headers });
    check.error("a request with that key", answer, 404, "NOT_FOUND");
  },
};
