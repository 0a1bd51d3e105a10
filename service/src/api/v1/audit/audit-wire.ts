import { z } from "zod";
import { auditActions } from "../../../audit/audit-actions.ts";
import { auditTargetKinds } from "../../../audit/audit-targets.ts";
import type { AuditEntry, AuditFilter } from "../../../audit/list-audit.ts";
import { formatParameter } from "../../http/exports/export-format.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import {
  beforeParameter,
  cursorPagination,
  limitParameter,
  sinceParameter,
  textParameter,
  untilParameter,
} from "../list-wire.ts";

const filters = {
  actor: textParameter.optional().describe("Only entries of the actor with this id or name, such as an email"),
  action: z.enum(auditActions).optional().describe("Only entries of this action"),
  target: textParameter.optional().describe("Only entries about the target with this id or name"),
  target_kind: z
    .enum(auditTargetKinds)
    .optional()
    .describe("Only entries about targets of this kind. `user`: log-ins, password and TOTP of a member"),
  since: sinceParameter,
  until: untilParameter,
};

export const auditQuery = z.strictObject({ limit: limitParameter, before: beforeParameter, ...filters });
export const auditExportQuery = z.strictObject({
  format: formatParameter,
  before: beforeParameter.describe(
    "Only entries that follow the entry with this id; continues an export after its last line",
  ),
  ...filters,
});

const facts = z.looseObject({}).nullable();

export const auditEntryResponse = z
  .object({
    id: z.uuid(),
    at: wireTimestamp,
    actor: z.object({
      kind: z
        .enum(["user", "key", "operator", "command-line", "system", "anonymous"])
        .describe("`command-line`: the operator; `system`: Postern itself; `anonymous`: nobody proved who it was"),
      id: z.string().nullable().describe("Id of the user or the API key"),
      name: z
        .string()
        .nullable()
        .describe("Email of the user, prefix of the key or name of the operator, as it was then"),
    }),
    action: z.enum(auditActions),
    target: z.object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
    before: facts.describe("What the action changed, before it; without secrets"),
    after: facts.describe("The same after it"),
    address: z.string().nullable().describe("IP address of the request; null for an operator of the installation"),
    request_id: z.string().nullable().describe("The `X-Request-Id` of the request"),
    reason: z.string().nullable().describe("Why an operator of the installation did it"),
  })
  .meta({ id: "AuditEntry", description: "Who did what in the account" });

export const auditList = z
  .object({
    success: z.literal(true),
    data: z.object({
      entries: z.array(auditEntryResponse).describe("Newest first"),
      pagination: cursorPagination,
    }),
  })
  .describe("Entries of the audit");

export function toAuditFilter(query: Omit<z.infer<typeof auditExportQuery>, "format">): Omit<AuditFilter, "limit"> {
  const { before, actor, action, target, target_kind: targetKind, since, until } = query;
  return { before, actor, action, target, targetKind, since, until };
}

export function toAuditEntry(entry: AuditEntry): z.infer<typeof auditEntryResponse> {
  const { id, at, action, before, after, address, reason } = entry;
  return {
    id,
    at,
    actor: { kind: entry.actorKind, id: entry.actorId, name: entry.actorName },
    action,
    target: { kind: entry.targetKind, id: entry.targetId, name: entry.targetName },
    before,
    after,
    // Owners need the operator's name, but not where the operator works. The row keeps the address, for the installation.
    address: entry.actorKind === "operator" ? null : address,
    request_id: entry.requestId,
    reason,
  };
}
