import { expect, test } from "vitest";
import { auditActions } from "../../../../service/src/audit/audit-actions.ts";
import type { AuditEntry } from "../../api/api-types.ts";
import { didWhat, whoOf, wordGroups, wordsOf } from "./action-words.ts";

const known = wordGroups.flatMap(({ words }) => Object.keys(words));

const anEntry = (changes: Partial<AuditEntry> = {}): AuditEntry => ({
  id: "019a8c41-e7a6-7c1e-9b52-3f0d6a1c88e4",
  at: "2026-11-16T15:04:12.118Z",
  actor: { kind: "user", id: "u1", name: "ada@fernhill.example" },
  action: "log-in",
  target: { kind: "user", id: "u1", name: "ada@fernhill.example" },
  before: null,
  after: null,
  address: null,
  request_id: null,
  reason: null,
  ...changes,
});

test("every action of the audit has its words, in one group", () => {
  expect(known.toSorted()).toEqual([...auditActions].toSorted());
});

test.for(auditActions)("%s has a title, a sentence and a meaning, also without facts", (action) => {
  const { title, meaning } = wordsOf(action);
  const did = didWhat(anEntry({ action, target: { kind: "account", id: null, name: "web shop" } }));
  expect(title).toMatch(/^[A-Z][^.]+$/);
  expect(meaning).toMatch(/^[A-Z].*\.$/s);
  expect(did).toMatch(/^[a-z][^.]*$/);
  expect(did).not.toMatch(/undefined|null|\[object/);
});

test("an action that is newer than the page keeps its name", () => {
  expect(didWhat(anEntry({ action: "moon.landing" as AuditEntry["action"] }))).toContain("moon.landing");
});

test.for<[Partial<AuditEntry>, string]>([
  [
    { action: "member.role-change", before: { role: "viewer" }, after: { role: "developer" } },
    "changed the role of ada@fernhill.example from viewer to developer",
  ],
  [{ action: "log-in.fail", after: { wrong: "code" } }, "tried to log in as ada@fernhill.example with a wrong code"],
  [{ action: "log-in", after: { by: "oidc" } }, "logged in with the company account"],
  [
    { action: "send.cancel", target: { kind: "account", id: "a", name: "Fernhill" }, after: { sends: 1200 } },
    "cancelled 1,200 queued sends",
  ],
  [{ action: "send.cancel", target: { kind: "send", id: "s1", name: null } }, "cancelled the send s1"],
  [
    { action: "account.settings-change", after: { totp_required: false } },
    "ended the requirement of two-factor authentication",
  ],
])("%j", ([changes, words]) => {
  expect(didWhat(anEntry(changes))).toBe(words);
});

test.for<[AuditEntry["actor"], string]>([
  [{ kind: "user", id: "u1", name: "ada@fernhill.example" }, "ada@fernhill.example"],
  [{ kind: "key", id: "k1", name: "pk_live_x1" }, "API key pk_live_x1"],
  [{ kind: "operator", id: "o1", name: "op@host.example" }, "Operator op@host.example"],
  [{ kind: "command-line", id: null, name: "root" }, "Command line (root)"],
  [{ kind: "system", id: null, name: null }, "Postern"],
  [{ kind: "system", id: null, name: "OIDC" }, "Postern (OIDC)"],
  [{ kind: "anonymous", id: null, name: null }, "Somebody"],
])("the actor %j has a name", ([actor, name]) => {
  expect(whoOf(anEntry({ actor }))).toBe(name);
});
