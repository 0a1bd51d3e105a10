import type { AuditEntry, ListAuditQuery } from "../../api/api-types.ts";

export type AuditAction = AuditEntry["action"];
export type TargetKind = NonNullable<ListAuditQuery["target_kind"]>;
