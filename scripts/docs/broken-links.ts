import { posix } from "node:path";
import { anchorsOf, headingsOf } from "./heading-anchors.ts";
import { lineAt, withoutCode } from "./markdown-code.ts";

/** Files by path from the root of the repository; the text is needed of Markdown files only. */
export interface Repository {
  paths: string[];
  documents: Map<string, string>;
}

const linkPatterns = [
  // [text](target), ![alt](target), and both nested
  /\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)>?(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/g,
  // [id]: target
  /^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)>?/gm,
  // <a href="target">, <img src="target">, <source srcset="target">
  /<(?:a|img|source|picture)\s[^>]*?\b(?:href|src|srcset)="([^"\s]+)[^"]*"/g,
];

/** Every relative link whose file, folder or anchor does not exist, as "file:line: problem". */
export function findBrokenLinks(repository: Repository): string[] {
  return [...repository.documents].flatMap(([path, markdown]) => {
    const text = withoutCode(markdown);
    const links = linkPatterns.flatMap((pattern) => [...text.matchAll(pattern)]);
    return links.flatMap(({ index, 1: target = "" }) => {
      const problem = problemOf(repository, path, target);
      return problem === undefined ? [] : [`${path}:${lineAt(text, index)}: ${target} ${problem}`];
    });
  });
}

function problemOf(repository: Repository, from: string, target: string): string | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(target) || target.startsWith("//")) return undefined;
  const [file = "", anchor] = target.split("#", 2).map(decodeURIComponent);
  const path = file === "" ? from : resolve(from, file);
  if (path.startsWith("..")) return "leads out of the repository";
  const isFile = repository.paths.includes(path);
  const isFolder = path === "." || repository.paths.some((each) => each.startsWith(`${path}/`));
  if (!isFile && !isFolder) return "names a file that does not exist";
  if (anchor === undefined) return undefined;
  const document = repository.documents.get(path);
  if (document === undefined) return "has an anchor, but is not a Markdown file";
  return anchorsOf(document).has(anchor) ? undefined : "names a heading that does not exist";
}

/** GitHub resolves a link that starts with a slash from the root of the repository. */
function resolve(from: string, file: string): string {
  const joined = file.startsWith("/") ? file.slice(1) : posix.join(posix.dirname(from), file);
  return posix.normalize(joined).replace(/\/$/, "");
}

/** A text of the program that names a document, with or without a heading: docs/runbook.md, "After a restore". */
const mention = /\b((?:docs|deploy)\/[\w/-]+\.md)(?:, \\?"([^"\\]+)\\?")?/g;

/** Every document or heading that the given program files name and that does not exist. */
export function findBrokenMentions({ documents }: Repository, programs: Map<string, string>): string[] {
  return [...programs].flatMap(([path, text]) =>
    [...text.matchAll(mention)].flatMap(({ index, 1: name = "", 2: title }) => {
      const at = `${path}:${lineAt(text, index)}`;
      const document = documents.get(name);
      if (document === undefined) return [`${at}: ${name} does not exist`];
      if (title === undefined || headingsOf(document).includes(title)) return [];
      return [`${at}: ${name} has no heading "${title}"`];
    }),
  );
}
