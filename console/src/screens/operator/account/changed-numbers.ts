/** The text of a number field. Empty is null: unlimited, or no trial. */
export function numberText(value: number | null): string {
  return value === null ? "" : String(value);
}

/**
 * The fields that differ from what the account has, as the API takes them: absent stays. A text that is no whole number is sent as it is, so
 * that the API explains it at its field.
 */
export function changedNumbers<Name extends string>(
  before: Record<Name, number | null>,
  texts: Record<Name, string>,
): Partial<Record<Name, number | null>> {
  const changed: Partial<Record<Name, number | null>> = {};
  for (const name of Object.keys(texts) as Name[]) {
    const text = texts[name].replaceAll(/[\s,]/g, "");
    if (text !== numberText(before[name])) changed[name] = text === "" ? null : Number(text);
  }
  return changed;
}
