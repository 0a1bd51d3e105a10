import type { Match } from "./rule.ts";

/** Reads a request that is not validated yet, so any member can be missing or of another type. */
export function matches(match: Match, body: Record<string, unknown>): boolean {
  const { recipient, fromDomain, tag } = match;
  if (recipient !== undefined && !recipientsIn(body).includes(recipient.toLowerCase())) return false;
  if (fromDomain !== undefined && !String(body.FromEmailAddress).replace(/>$/, "").endsWith(`@${fromDomain}`))
    return false;
  return (
    tag === undefined || tagsIn(body).some(({ Name, Value }) => Name === tag.name && Value === (tag.value ?? Value))
  );
}

function recipientsIn(body: Record<string, unknown>): string[] {
  return Object.values(body.Destination ?? {})
    .flat()
    .map((address) => String(address).toLowerCase());
}

function tagsIn(body: Record<string, unknown>): { Name?: unknown; Value?: unknown }[] {
  return Array.isArray(body.EmailTags) ? body.EmailTags : [];
}
