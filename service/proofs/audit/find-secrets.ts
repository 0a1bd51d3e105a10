import { aLogin } from "../../test/builders.ts";
import { spawnPostern } from "../../test/spawn-postern.ts";
import type { AuditCell } from "./route-actions.ts";

const maxExported = 50;

/** Searches the whole table, and the export of some accounts, for every secret and for every stored hash. */
export async function findSecrets({ db, loginDeps, environment, secrets }: AuditCell) {
  const rows = await db.query<{ accountId: string; text: string }>({
    name: "whole-audit",
    text: `select account_id as "accountId", e::text as text from audit_entries e`,
  });
  const hashes = await db.query<{ hash: string }>({
    name: "all-hashes",
    text: `
      select password_hash as hash from users
      union all select encode(hmac, 'hex') from api_key_secrets
      union all select encode(token_hash, 'hex') from invitations
      union all select encode(code_hash, 'hex') from recovery_codes
      union all select encode(totp_secret, 'hex') from users where totp_secret is not null
      union all select challenge_token from domains`,
  });
  const api = await spawnPostern("api", environment);
  const lines: string[] = [];
  try {
    for (const accountId of [...new Set(rows.map((row) => row.accountId))].slice(0, maxExported)) {
      const { accessToken } = await aLogin(db, loginDeps, { accountId, role: "owner" });
      const response = await fetch(`${api.url}/api/v1/audit/export`, {
        headers: { authorization: `Bearer ${accessToken}` },
      });
      // An account that requires TOTP refuses this owner.
      if (response.status === 200) lines.push(...(await response.text()).split("\n").filter((line) => line !== ""));
    }
  } finally {
    api.kill("SIGKILL");
    await api.exited;
  }
  const everything = [...rows.map(({ text }) => text), ...lines].join("\n");
  const tried = [...new Set([...secrets, ...hashes.map(({ hash }) => hash)])].filter((text) => text.length >= 8);
  const found = tried.filter((secret) => everything.includes(secret)).length;
  return { found, tried: tried.length, rows: rows.length, lines: lines.length };
}
