const longestText = 1_000;

/** Text from outside as PostgreSQL can store it: NUL becomes the replacement character, and the length is bounded. */
export function storableText(text: string, maxLength = longestText): string {
  return text.replaceAll("\0", "\u{fffd}").slice(0, maxLength);
}
