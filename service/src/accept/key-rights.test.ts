import { describe, expect, test } from "vitest";
import { aCandidate } from "../../test/a-candidate.ts";
import { aLogin, anAccount, anApiKey } from "../../test/builders.ts";
import { aVerifiedDomain } from "../../test/send-builders.ts";
import { change } from "../../test/send-rows.ts";
import { aConfig } from "../../test/test-config.ts";
import { useTestApi } from "../../test/use-test-api.ts";
import { rollApiKey } from "../api-keys/roll-api-key.ts";
import type { KeyScope } from "../api-keys/scopes.ts";
import { openDatabaseClock } from "../db/database-clock.ts";
import { newSendId } from "../sends/send-id.ts";
import { type Candidate, createAcceptBatch } from "./accept-batch.ts";

const api = useTestApi();
const { database } = api;
const issuer = { pepper: aConfig().secrets.apiKeyPepper.current, cellCode: "AA" };

describe("the accept statement refuses, whatever the API process believes,", () => {
  test("a key without the scope send", async () => {
    const scopes: KeyScope[] = ["read", "suppressions", "domains", "webhooks"];
    const { candidate, id } = await aFixture({ scopes });
    expect(await decide({ ...candidate(), apiKeyId: id, secretId: id })).toBe("not-allowed");
  });

  test("another domain than that of the key, also a subdomain; in a batch only the own one is stored", async () => {
    const { candidate, id, domain, other, subdomain } = await aFixture({ isForDomain: true });
    const of = (from: string) => ({ ...candidate(from), apiKeyId: id, secretId: id });
    const kinds = await Promise.all([of(other), of(domain), of(subdomain), of(other)].map(decide));
    expect(kinds).toEqual(["not-allowed", "stored", "not-allowed", "not-allowed"]);
  });

  test("a secret that has ended, one of another key, and a key without its secret", async () => {
    const { candidate, id, accountId } = await aFixture({});
    const other = await anApiKey(database.db, issuer, accountId);
    await rollApiKey(database.db.forAccount(accountId), issuer, { id, overlapSeconds: 60 });
    expect(await decide({ ...candidate(), apiKeyId: id, secretId: id })).toBe("stored");
    expect(await decide({ ...candidate(), apiKeyId: id, secretId: other.id })).toBe("not-allowed");
    expect(await decide({ ...candidate(), apiKeyId: id, secretId: undefined })).toBe("not-allowed");
    await change(database.db, "update api_key_secrets set ends_at = now() where id = $1", [id]);
    expect(await decide({ ...candidate(), apiKeyId: id, secretId: id })).toBe("not-allowed");
  });

  test("a login that has ended, one of another account, and one whose user became a viewer", async () => {
    const { candidate, accountId } = await aFixture({});
    const { loginDeps } = api.deps;
    const login = await aLogin(database.db, loginDeps, { accountId });
    const other = await aLogin(database.db, loginDeps);
    expect(await decide({ ...candidate(), loginId: login.loginId })).toBe("stored");
    expect(await decide({ ...candidate(), loginId: other.loginId })).toBe("not-allowed");
    await change(database.db, "update accounts set totp_required = true where id = $1", [accountId]);
    expect(await decide({ ...candidate(), loginId: login.loginId })).toBe("not-allowed");
    await change(database.db, "update accounts set totp_required = false where id = $1", [accountId]);
    const viewer = await aLogin(database.db, loginDeps, { accountId, role: "viewer" });
    expect(await decide({ ...candidate(), loginId: viewer.loginId })).toBe("not-allowed");
    await change(database.db, "delete from logins where id = $1", [login.loginId]);
    expect(await decide({ ...candidate(), loginId: login.loginId })).toBe("not-allowed");
  });

  test("a key of the other mode and a key of another account", async () => {
    const [mine, theirs] = [await aFixture({}), await aFixture({})];
    expect(await decide({ ...mine.candidate(), mode: "test", apiKeyId: mine.id, secretId: mine.id })).toBe(
      "not-allowed",
    );
    expect(await decide({ ...mine.candidate(), apiKeyId: theirs.id, secretId: theirs.id })).toBe("not-allowed");
  });
});

async function aFixture({ scopes, isForDomain = false }: { scopes?: KeyScope[]; isForDomain?: boolean }) {
  const accountId = await anAccount(database.db);
  const domain = await aVerifiedDomain(database.db, accountId);
  const other = await aVerifiedDomain(database.db, accountId);
  const subdomain = await aVerifiedDomain(database.db, accountId, `mail.${domain}`);
  const options = { ...(scopes && { scopes }), ...(isForDomain && { domain }) };
  const { id } = await anApiKey(database.db, issuer, accountId, options);
  const candidate = (from = domain) =>
    aCandidate({ id: newSendId(Date.now()), accountId, domain: from, recipients: ["jane@example.test"] });
  return { accountId, domain, other, subdomain, id, candidate };
}

async function decide(candidate: Candidate): Promise<string> {
  const batch = createAcceptBatch(database.db, await openDatabaseClock(database.db));
  return (await batch(candidate)).kind;
}
