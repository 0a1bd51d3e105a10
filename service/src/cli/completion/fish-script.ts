import type { CompletionNode } from "./completion-tree.ts";

export function fishScript(tree: CompletionNode[]): string {
  const paths = tree.filter(({ path }) => path !== "").map(({ path }) => quoted(path));
  return `# fish completion of postern, printed by: postern completion fish
function __postern_command
    set -l at ""
    for word in (commandline -opc)[2..-1]
        set -l next (string trim "$at $word")
        contains -- $next ${paths.join(" ")}; and set at $next
    end
    test "$at" = "$argv[1]"
end
complete -c postern -f
${tree.flatMap(nodeLines).join("\n")}`;
}

function nodeLines({ path, candidates, valueOptions }: CompletionNode): string[] {
  return candidates.map(({ word, description }) => {
    const start = `complete -c postern -n ${quoted(`__postern_command ${quoted(path)}`)}`;
    const text = description === "" ? "" : ` -d ${quoted(description)}`;
    if (!word.startsWith("--")) return `${start} -a ${word}${text}`;
    const value = valueOptions.find(({ flag }) => flag === word);
    const choices = value?.isFolder === true ? "(__fish_complete_directories)" : (value?.choices.join(" ") ?? "");
    return `${start} -l ${word.slice(2)}${value === undefined ? "" : ` -x -a ${quoted(choices)}`}${text}`;
  });
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
