const heading = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$|^(\S.*)\n {0,3}(?:=+|-{2,})[ \t]*$/gm;
const htmlAnchor = /<a\s[^>]*\b(?:id|name)="([^"]+)"/g;

/** The anchors that GitHub gives to a document: one for each heading, and those that HTML in the text sets. */
export function anchorsOf(markdown: string): Set<string> {
  const text = withoutFences(markdown);
  const anchors = new Set([...text.matchAll(htmlAnchor)].map(([, name = ""]) => name));
  const uses = new Map<string, number>();
  for (const title of headingsOf(markdown)) {
    const slug = slugOf(title);
    let anchor = slug;
    // GitHub numbers repeated headings: "a", "a-1", "a-2".
    while (uses.has(anchor)) {
      const next = (uses.get(slug) ?? 0) + 1;
      uses.set(slug, next);
      anchor = `${slug}-${next}`;
    }
    uses.set(anchor, 0);
    anchors.add(anchor);
  }
  return anchors;
}

/** The headings as a browser shows them. */
export function headingsOf(markdown: string): string[] {
  return [...withoutFences(markdown).matchAll(heading)].map(([, , marked, underlined]) =>
    plainText(marked ?? underlined ?? ""),
  );
}

function slugOf(title: string): string {
  const kept = title.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "");
  return kept.replaceAll(" ", "-");
}

function plainText(title: string): string {
  return title
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll(/[`*]/g, "");
}

/** Only fenced blocks are removed: inline code belongs to the heading. */
function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^[ \t]*(`{3,}|~{3,})[^\n]*\n[\s\S]*?^[ \t]*\1[`~]*[ \t]*$/gm, "");
}
