import { z } from "zod";
import { controlCharacter, parseAddress } from "../../../mail-address.ts";
import { suppressionReasons } from "../../../suppression-reason.ts";
import type { RemovedSuppression, SuppressionState } from "../../../suppressions/suppression-state.ts";
import type { Suppression } from "../../../suppressions/suppression-store.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import {
  beforeParameter,
  clampedLimitParameter,
  cursorPagination,
  pagePagination,
  pageParameter,
  readingModeParameter,
  sendingModeParameter,
  wireMode,
} from "../list-wire.ts";

export const suppressionQuery = z.strictObject({
  page: pageParameter,
  limit: clampedLimitParameter,
  mode: readingModeParameter,
  before: beforeParameter,
  reason: z.enum(suppressionReasons).optional().describe("Only entries with this reason"),
});

export const stateQuery = z.strictObject({ mode: readingModeParameter });

export const removalQuery = z.strictObject({
  mode: z.enum(["live", "test"]).optional().describe("Removes the entry of this mode only. Without it, of both modes"),
});

export const addingQuery = z.strictObject({ mode: sendingModeParameter });

const addressToSuppress = z.string().transform((text, context): string => {
  const address = parseAddress(text);
  if (!("problem" in address)) return address.key;
  context.addIssue(address.problem);
  return z.NEVER;
});

const noteToAdd = z
  .string()
  .max(500)
  .refine((text) => !controlCharacter.test(text), {
    error: "contains a line break or another control character; remove it",
  })
  .nullish()
  .describe("For people, up to 500 characters");

export const addSuppressionBody = z
  .strictObject({
    email: addressToSuppress
      .describe("The address alone; capital letters do not matter")
      .meta({ example: "left@example.com" }),
    reason: z.literal("manual").optional().describe("Bounces and complaints add addresses by themselves"),
    note: noteToAdd,
  })
  .meta({ example: { email: "left@example.com", reason: "manual", note: "Asked by phone to get no more mail" } });

export const suppressionEntry = z
  .object({
    id: z.uuid(),
    email: z.string().describe("In lower case, with the domain in ASCII").meta({ example: "gone@example.com" }),
    reason: z
      .enum(suppressionReasons)
      .describe("`hard_bounce` and `complaint`: what SES reported. `manual`: somebody added or imported the address"),
    suppressed_at: wireTimestamp,
    email_id: z.uuid().nullable().describe("The `id` of the send that caused it; null if none did or it is not known"),
    note: z
      .string()
      .nullable()
      .describe("What the person or program that added the address wrote; else null")
      .meta({ example: "Asked by phone to get no more mail" }),
    mode: wireMode.describe("Mode of the sends that are filtered"),
  })
  .meta({ id: "Suppression", description: "An address that the account does not send to" });

export const suppressionList = z
  .object({
    success: z.literal(true),
    data: z.array(suppressionEntry).describe("Newest first"),
    pagination: z.union([pagePagination, cursorPagination]),
  })
  .describe("Suppressed addresses of the account");

export const addedSuppressionResponse = z
  .object({ success: z.literal(true), data: suppressionEntry })
  .describe("The entry of the address");

export const removedSuppressionResponse = z
  .object({
    success: z.literal(true),
    message: z.string().meta({
      example: "gone@example.com was removed from the suppression list. Later sends to it are no longer filtered.",
    }),
  })
  .describe("The address is no longer suppressed");

const removalEntry = z
  .object({
    mode: wireMode,
    removed_at: wireTimestamp,
    removed_by: z.object({
      kind: z.enum(["user", "key"]),
      name: z
        .string()
        .nullable()
        .describe("Email of the user or prefix of the key; null if neither existed any more")
        .meta({ example: "ada@acme.io" }),
    }),
    provider: z
      .object({
        status: z
          .enum(["not_needed", "pending", "removed", "kept", "refused"])
          .describe(
            "`not_needed`: test mail never reaches SES, and SES does not list an address because of an entry that was added by hand or " +
              "imported. `pending`: SES has not confirmed yet, Postern tries again. `removed`: the list " +
              "of SES does not have the address. `kept`: the recipient complained after the removal, so the address stays on the list " +
              "of SES. `refused`: SES does not accept the address, Postern does not try again",
          ),
        finished_at: wireTimestamp.nullable().describe("When `removed`, `kept` or `refused` was known; else null"),
        next_try_at: wireTimestamp.nullable().describe("While `pending`, when Postern asks SES next; else null"),
        error: z
          .enum(["throttled", "unavailable", "denied", "limit_reached", "invalid"])
          .nullable()
          .describe("Why the last try failed; null if none failed"),
      })
      .describe("The removal from the suppression list of the SES account, which is one for all accounts of Postern"),
  })
  .meta({
    id: "SuppressionRemoval",
    description: "The last removal of an address from the suppression list, for 90 days",
  });

export const suppressionStateResponse = z
  .object({
    success: z.literal(true),
    data: z.object({
      email: z.string().describe("In lower case, with the domain in ASCII").meta({ example: "gone@example.com" }),
      suppressions: z.array(suppressionEntry).describe("At most one for each mode; empty when it is not suppressed"),
      removals: z
        .array(removalEntry)
        .describe("The last removal in each mode; an address can be suppressed again after it"),
    }),
  })
  .describe("What the account knows about the address");

export function toSuppressionState(email: string, { suppressions, removals }: SuppressionState) {
  return { email, suppressions: suppressions.map(toSuppressionEntry), removals: removals.map(toRemovalEntry) };
}

function toRemovalEntry(removal: RemovedSuppression): z.input<typeof removalEntry> {
  return {
    mode: removal.mode,
    removed_at: removal.removedAt,
    removed_by: { kind: removal.removedByKind, name: removal.removedByName },
    provider: {
      status: removal.providerStatus,
      finished_at: removal.providerFinishedAt,
      next_try_at: removal.providerNextTryAt,
      error: removal.providerError === "limit-reached" ? "limit_reached" : removal.providerError,
    },
  };
}

export function toSuppressionEntry(suppression: Suppression): z.input<typeof suppressionEntry> {
  const { id, email, reason, suppressedAt, sendId, note, mode } = suppression;
  return { id, email, reason, suppressed_at: suppressedAt, email_id: sendId, note, mode };
}
