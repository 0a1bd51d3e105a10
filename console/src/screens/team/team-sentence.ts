import type { Invitation, Member } from "../../api/api-types.ts";
import { formatCount } from "../../parts/format-number.ts";

/** "3 members, 1 of them an owner. 2 invitations are open." */
export function teamSentence(members: readonly Member[], invitations: readonly Invitation[]): string {
  const owners = members.filter(({ role }) => role === "owner").length;
  const people =
    members.length === 1
      ? "You are the only member."
      : `${formatCount(members.length, "member")}, ${owners} of them ${owners === 1 ? "an owner" : "owners"}.`;
  const open =
    invitations.length === 0
      ? "No invitation is open."
      : `${formatCount(invitations.length, "invitation")} ${invitations.length === 1 ? "is" : "are"} open.`;
  return `${people} ${open}`;
}

/** The API refuses to remove or demote the only owner. */
export function isLastOwner(member: Member, members: readonly Member[]): boolean {
  return member.role === "owner" && members.filter(({ role }) => role === "owner").length === 1;
}

/** An invitation works only while the person who made it is an owner. */
export function isVoid({ invited_by }: Invitation, members: readonly Member[]): boolean {
  if (invited_by === null) return false;
  return members.find(({ user_id }) => user_id === invited_by)?.role !== "owner";
}
