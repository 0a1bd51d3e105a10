export interface Program {
  name: string;
  text: string;
  /** What one of the lines it prints looks like, each. */
  prints: RegExp[];
}

/** Each block of TypeScript; one that does not import the package goes on from the last one that does. */
export function programsOf(markdown: string): Program[] {
  let beginning = "";
  return markdown.split("\n## ").flatMap((section) => {
    const [heading = ""] = section.split("\n");
    return [...section.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block = ""], index) => {
      if (block.startsWith("import")) beginning = block;
      const prints = [...block.matchAll(/\/\/ prints: (.*)/g)].map(([, line = ""]) => linePattern(line));
      const text = beginning === block ? block : `${beginning}\n${block}`;
      return { name: `${heading}, example ${index + 1}`, text, prints };
    });
  });
}

function linePattern(line: string): RegExp {
  return new RegExp(`^${line.split("…").map(RegExp.escape).join(".+")}$`);
}
