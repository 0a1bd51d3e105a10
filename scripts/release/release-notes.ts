/** The text below a heading of the changelog: that of a version, or `Unreleased`. */
export function sectionOf(changelog: string, heading: string): string | undefined {
  const sections = changelog.split(/^## /m).slice(1);
  const found = sections.find((section) => section.startsWith(`${heading}\n`) || section.startsWith(`${heading} `));
  return found?.slice(found.indexOf("\n")).trim();
}

/** The changelog in which the unreleased section belongs to the version, below an empty unreleased section. */
export function withVersion(changelog: string, version: string, date: string): string {
  if (sectionOf(changelog, version) !== undefined) return changelog;
  if (sectionOf(changelog, "Unreleased") === undefined) throw new Error("CHANGELOG.md has no section Unreleased");
  const released = changelog.replace(/^There is no release yet\. .*\n\n?/m, "");
  return released.replace(/^## Unreleased\n/m, `## Unreleased\n\n## ${version} - ${date}\n`);
}
