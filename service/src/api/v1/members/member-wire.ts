import { z } from "zod";
import type { Member } from "../../../accounts/membership-store.ts";
import { wireTimestamp } from "../../http/wire-format.ts";
import { roleField } from "../auth/membership-wire.ts";

export const memberResponse = z
  .object({
    user_id: z.uuid(),
    email: z.string().meta({ example: "ada@example.com" }),
    role: roleField,
    created_at: wireTimestamp.describe("When the person became a member"),
  })
  .meta({ id: "Member", description: "A person who belongs to the account" });

export const memberList = z.array(memberResponse).describe("At most 1,000 members of the account, oldest first");

export const memberBody = z.strictObject({ role: roleField }).meta({ example: { role: "developer" } });

export const removedMemberResponse = z
  .object({
    message: z.string().meta({ example: "The member is removed, and the member's logins to this account have ended." }),
  })
  .describe("The member is removed");

export function toMemberResponse({ userId, email, role, createdAt }: Member): z.infer<typeof memberResponse> {
  return { user_id: userId, email, role, created_at: createdAt };
}
