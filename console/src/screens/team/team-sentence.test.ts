import { expect, test } from "vitest";
import type { Invitation, Member } from "../../api/api-types.ts";
import { isLastOwner, isVoid, teamSentence } from "./team-sentence.ts";

const aMember = (user_id: string, role: Member["role"]): Member => ({
  user_id,
  email: `${user_id}@x.example`,
  role,
  created_at: "",
});
const anInvitation = (invited_by: string | null): Invitation => ({
  id: "i",
  email: "new@x.example",
  role: "viewer",
  invited_by,
  created_at: "",
  expires_at: "",
});
const [ada, bob, eve] = [aMember("ada", "owner"), aMember("bob", "viewer"), aMember("eve", "owner")];

test("the page opens with how many people there are", () => {
  expect(teamSentence([ada], [])).toBe("You are the only member. No invitation is open.");
  expect(teamSentence([ada, bob], [anInvitation(null)])).toBe(
    "2\u00a0members, 1 of them an owner. 1\u00a0invitation is open.",
  );
});

test("only the last owner cannot leave", () => {
  expect([ada, bob].map((member) => isLastOwner(member, [ada, bob]))).toEqual([true, false]);
  expect(isLastOwner(ada, [ada, eve])).toBe(false);
});

test("a link works only while the person who made it is an owner", () => {
  const members = [ada, bob];
  expect([null, "ada", "bob", "gone"].map((by) => isVoid(anInvitation(by), members))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
