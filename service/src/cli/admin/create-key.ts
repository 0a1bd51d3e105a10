import { commandLineActor } from "../../actor.ts";
import { createKeyBody, toKeyRequest } from "../../api/v1/api-keys/api-key-wire.ts";
import { createApiKey, type KeyRequest } from "../../api-keys/create-api-key.ts";
import { type Environment, readKeyIssuer } from "../../config.ts";
import type { Database } from "../../db/database.ts";
import { AppError } from "../../errors.ts";
import { aligned, say, timeText } from "../../plain-text.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";

export interface CreateKeyOptions {
  account: string;
  type: "live" | "test";
  name: string;
  expiresAt?: string;
  scope?: string[];
  domain?: string;
}

export async function runCreateKey(
  { db, environment }: { db: Database; environment: Environment },
  options: CreateKeyOptions,
): Promise<void> {
  const request = readRequest(options);
  const issuer = readKeyIssuer(environment);
  const account = await getAccountByIdOrEmail(db, options.account);
  const created = await createApiKey(db.forAccount(account.id, commandLineActor()), issuer, request).catch(
    explainExpiry,
  );
  const rows = [
    ["Key", created.key],
    ["Id", created.id],
    ["Type", created.type],
    ["Name", created.name],
    ["Scopes", created.scopes.join(", ")],
    ["Domain", created.domain ?? "all domains of the account"],
    ["Account", `${account.id}  ${account.name}`],
    ["Expires", created.expiresAt === null ? "never" : timeText(created.expiresAt)],
  ];
  say(`${aligned(rows)}\n\nThe key is not shown again.`);
}

/** The rules of the API: the operator cannot create a key that its user could not. */
function readRequest({ type, name, expiresAt, scope, domain }: CreateKeyOptions): KeyRequest {
  const parsed = createKeyBody.safeParse({ type, name, expires_at: expiresAt, scopes: scope, domain });
  if (parsed.success) return toKeyRequest(parsed.data);
  const problems = parsed.error.issues.map(({ path, message }) => `${optionOf(String(path[0]))} ${message}.`);
  throw new AppError("VALIDATION_ERROR", problems.join("\n"));
}

function explainExpiry(error: unknown): never {
  const [problem] = error instanceof AppError ? (error.details ?? []) : [];
  if (problem?.field !== "expires_at") throw error;
  throw new AppError("VALIDATION_ERROR", `${optionOf(problem.field)} ${problem.message}.`, { cause: error });
}

/** `expires_at` of the API is `--expires-at` here, and `scopes` is `--scope`. */
function optionOf(field: string): string {
  return field === "scopes" ? "--scope" : `--${field.replaceAll("_", "-")}`;
}
