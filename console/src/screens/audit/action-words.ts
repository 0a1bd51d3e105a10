import type { AuditEntry } from "../../api/api-types.ts";
import { accountWords } from "./account-words.ts";
import type { ActionWords, EntryFacts } from "./action-words-shape.ts";
import type { AuditAction } from "./audit-types.ts";
import { personWords } from "./person-words.ts";
import { resourceWords } from "./resource-words.ts";

/** The words of every action, in the groups and the order in which the filter offers them. */
export const wordGroups: { heading: string; words: Partial<Record<AuditAction, ActionWords>> }[] = [
  { heading: "Keys, domains, suppressions, mail", words: resourceWords },
  { heading: "People", words: personWords },
  { heading: "Account", words: accountWords },
];

const words: Partial<Record<string, ActionWords>> = Object.assign({}, ...wordGroups.map((group) => group.words));

/** An API that is newer than this page can name an action without words. */
export function wordsOf(action: string): ActionWords {
  return (
    words[action] ?? {
      title: action,
      did: ({ target }) => `did ${action}: ${target}`,
      meaning: "This page has no words for this action. Load the page again to get its newest version.",
    }
  );
}

/** What the actor did, without the actor: "revoked the API key web shop". */
export function didWhat({ action, target, before, after }: AuditEntry): string {
  const facts: EntryFacts = {
    target: target.name ?? target.id ?? "",
    isAccount: target.kind === "account",
    before: before ?? {},
    after: after ?? {},
  };
  return wordsOf(action).did(facts);
}

/** Who did it, in words that stand before `didWhat`. */
export function whoOf({ actor: { kind, name, id } }: AuditEntry): string {
  switch (kind) {
    case "user":
      return name ?? id ?? "A member";
    case "key":
      return `API key ${name ?? id ?? ""}`;
    case "operator":
      return `Operator ${name ?? ""}`.trim();
    case "command-line":
      return `Command line (${name ?? "operator"})`;
    case "system":
      return name === null ? "Postern" : `Postern (${name})`;
    default:
      return "Somebody";
  }
}
