import { describe, expect, test } from "vitest";
import { findBrokenLinks, findBrokenMentions } from "./broken-links.ts";
import { anchorsOf } from "./heading-anchors.ts";
import { listRepositoryFiles, readFiles } from "./repository-files.ts";

const paths = listRepositoryFiles();
const documents = readFiles(paths.filter((path) => path.endsWith(".md")));

test("every relative link and anchor in every document resolves", () => {
  expect(documents.size).toBeGreaterThan(0);
  expect(findBrokenLinks({ paths, documents })).toEqual([]);
});

test("every document and heading that a message or a comment of the service names exists", () => {
  const programs = readFiles(
    paths.filter((path) => /^(service\/src|deploy|sdk\/src)\/.*(\.(ts|ya?ml|sh|service)|Dockerfile)$/.test(path)),
  );
  expect(programs.size).toBeGreaterThan(0);
  expect(findBrokenMentions({ paths, documents }, programs)).toEqual([]);
});

describe("the check of links", () => {
  const aRepository = (text: string) => ({
    paths: ["README.md", "docs/guide.md", "docs/picture.svg", "service/src/a.ts"],
    documents: new Map([
      ["README.md", "# Postern\n\n## Set up\n\n## Set up\n"],
      ["docs/guide.md", `${text}\n`],
    ]),
  });

  test.for([
    ["a missing file", "[a](missing.md)"],
    ["a missing file behind another link", "[a](../README.md) and [b](missing.md)"],
    ["a missing picture", "![a](missing.svg)"],
    ["a missing picture in HTML", '<img alt="a" src="missing.svg">'],
    ["a missing picture of a link that resolves", "[![a](missing.svg)](../README.md)"],
    ["a missing definition", "[a]: missing.md"],
    ["a missing folder", "[a](../nothing/)"],
    ["another case of letters", "[a](../readme.md)"],
    ["a missing heading", "[a](../README.md#start)"],
    ["a missing heading of the same document", "# Guide\n\n[a](#gide)"],
    ["a heading that is only in a code block", "[a](#run)\n\n```\n# Run\n```"],
    ["a repetition that does not exist", "[a](../README.md#set-up-2)"],
    ["an anchor in a file that is not Markdown", "[a](../service/src/a.ts#start)"],
    ["a path out of the repository", "[a](../../other/README.md)"],
  ])("reports %s", ([, text]) => {
    expect(findBrokenLinks(aRepository(text ?? ""))).toHaveLength(1);
  });

  test.for([
    "[a](https://example.com/missing.md)",
    "[a](mailto:a@example.com)",
    "[a](../README.md) [b](../README.md#set-up) [c](../README.md#set-up-1)",
    '[a](../service/src/) [b](../service/src/a.ts "A title") ![c](picture.svg)',
    '<a href="/README.md#postern">a</a> <source srcset="picture.svg">',
    "`[a](missing.md)`",
    "```\n[a](missing.md)\n```",
    '<a id="here"></a> [a](#here)',
    "[a](#the-cli-postern-admin_key--more)\n\n## The CLI: `postern admin_key` & more!",
    "[a](#titel-über-zwei)\n\nTitel Über zwei\n---",
  ])("accepts %s", (text) => {
    expect(findBrokenLinks(aRepository(text))).toEqual([]);
  });

  test("names the line of the link", () => {
    expect(findBrokenLinks(aRepository("one\n\n```\ncode\n```\n[a](missing.md)"))).toEqual([
      "docs/guide.md:6: missing.md names a file that does not exist",
    ]);
  });

  test("numbers repeated headings like GitHub", () => {
    expect([...anchorsOf("# A\n# A\n# A 1\n# A\n")]).toEqual(["a", "a-1", "a-1-1", "a-2"]);
  });

  test("reports a message that names a missing document or heading", () => {
    const programs = new Map([
      ["a.ts", 'advice: `See docs/guide.md, "Start".`'],
      ["b.ts", 'advice: "See docs/guide.md, \\"Missing\\"."'],
      ["c.ts", "// docs/missing.md explains it"],
    ]);
    expect(findBrokenMentions(aRepository("## Start"), programs)).toEqual([
      'b.ts:1: docs/guide.md has no heading "Missing"',
      "c.ts:1: docs/missing.md does not exist",
    ]);
  });
});
