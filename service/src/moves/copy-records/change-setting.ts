import { AppError } from "../../errors.ts";
import { openTotpSecret, sealTotpSecret } from "../../logins/totp.ts";
import type { OpenTotpKey } from "../../logins/totp-key.ts";
import type { Secret } from "../../secret.ts";
import { openEndpointSecret, sealEndpointSecret } from "../../webhooks/endpoint-secret.ts";
import type { CopyDeps, MoveKeys } from "./copy-deps.ts";

/** A row as JSON.parse gives it: bytea is `\x` and hexadecimal digits. */
export type SettingRow = Record<string, unknown>;

export interface SettingKeys extends MoveKeys {
  /** The keys that seal TOTP secrets. */
  sourceTotp: Secret;
  targetTotp: Secret;
}

export async function openSettingKeys(
  { source, target, keys }: CopyDeps,
  totpKeys: { source: OpenTotpKey; target: OpenTotpKey },
): Promise<SettingKeys> {
  const [sourceTotp, targetTotp] = await Promise.all([totpKeys.source(source), totpKeys.target(target)]);
  return { ...keys, sourceTotp, targetTotp };
}

/** What a row is in the target, where secrets are sealed with other keys and peppers have other names. */
export function changeSetting(table: string, row: SettingRow, accountId: string, keys: SettingKeys): SettingRow {
  switch (table) {
    case "accounts":
      return { ...row, fingerprint_key: keys.fingerprintKey };
    case "users":
      return {
        ...row,
        account_id: row.account_id === accountId ? accountId : null,
        totp_secret: resealTotp(row, keys),
      };
    case "api_keys":
    case "api_key_secrets":
      return { ...row, pepper_id: pepperInTarget(row.pepper_id, keys) };
    case "webhook_secrets": {
      const endpointId = String(row.endpoint_id);
      const secret = openEndpointSecret(keys.source, endpointId, bytesOf(row.sealed));
      return { ...row, sealed: textOf(sealEndpointSecret(keys.target, endpointId, secret)) };
    }
    default:
      return row;
  }
}

function resealTotp({ id, totp_secret: sealed }: SettingRow, { sourceTotp, targetTotp }: SettingKeys): string | null {
  if (sealed === null) return null;
  const userId = String(id);
  return textOf(sealTotpSecret(targetTotp, userId, openTotpSecret(sourceTotp, userId, bytesOf(sealed))));
}

/** Keys are stored under an HMAC, so the target needs the same pepper; it may have another name there. */
function pepperInTarget(name: unknown, { pepperNames }: MoveKeys): string | null {
  if (typeof name !== "string") return null;
  const known = pepperNames.get(name);
  if (known !== undefined) return known;
  throw new AppError(
    "CONFLICT",
    `An API key of the account was made with the pepper "${name}", which the target does not have. Set it as API_KEY_PEPPER_SECOND there.`,
  );
}

function bytesOf(text: unknown): Buffer {
  return Buffer.from(String(text).slice(2), "hex");
}

function textOf(bytes: Buffer): string {
  return `\\x${bytes.toString("hex")}`;
}
