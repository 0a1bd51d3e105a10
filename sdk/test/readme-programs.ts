export interface Program {
  name: string;
  text: string;
  /** Each pattern matches one line of the output. */
  prints: RegExp[];
}

/** Every TypeScript block of the README. A block without an import continues the last block with one. */
export function programsOf(markdown: string): Program[] {
  let setUp = "";
  return markdown.split("\n## ").flatMap((section) => {
    const [heading = ""] = section.split("\n");
    return [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = ""], index) => {
      if (block.startsWith("import")) setUp = block;
      const prints = [...block.matchAll(/\/\/ prints: (.*)/g)].map(([, line = ""]) => linePattern(line));
      const text = setUp === block ? block : `${setUp}\n${block}`;
      return { name: `${heading}, example ${index + 1}`, text, prints };
    });
  });
}

function linePattern(line: string): RegExp {
  return new RegExp(`^${line.split("…").map(RegExp.escape).join(".+")}$`);
}
