/** Fenced blocks first, then inline code, which may wrap over lines but not over paragraphs. */
const codePattern =
  /^([ \t]*)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^[ \t]*\2[`~]*[ \t]*$|(`+)(?:(?!\n\s*\n)[\s\S])*?[^`]\3(?!`)/gm;

/** Replaces each piece of code. The replacement should keep line breaks, so that positions still name the right line. */
export function replaceCode(markdown: string, replace: (code: string) => string): string {
  return markdown.replaceAll(codePattern, (code) => replace(code));
}

/** The same text with spaces for code. */
export function withoutCode(markdown: string): string {
  return replaceCode(markdown, (code) => code.replaceAll(/[^\n]/g, " "));
}

export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}
