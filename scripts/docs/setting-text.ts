import type { Setting, SettingGroup } from "../../service/src/list-settings.ts";

/** The settings by group, in the order in which the groups first occur. */
export function settingsByGroup(settings: Setting[]): [SettingGroup, Setting[]][] {
  return [...Map.groupBy(settings, ({ group }) => group)];
}

/** "How long a worker retries a send that SES does not accept" as the start of a text. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "on or off", "60 to 604800 seconds", or undefined when the description says it all. */
export function valuesText({ words, range, unit }: Setting, wrap = (word: string) => word): string | undefined {
  if (words.length > 0) return `${words.slice(0, -1).map(wrap).join(", ")} or ${wrap(words.at(-1) ?? "")}`;
  if (range === undefined) return undefined;
  return `${range.min} to ${range.max}${unit === undefined ? "" : ` ${unit}`}`;
}
