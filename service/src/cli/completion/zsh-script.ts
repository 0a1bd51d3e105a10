import type { Candidate, CompletionNode, ValueOption } from "./completion-tree.ts";

/** The variable is `at`, because zsh binds `path` to the search path of commands. */
export function zshScript(tree: CompletionNode[]): string {
  const paths = tree.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  return `#compdef postern
# zsh completion of postern, printed by: postern completion zsh
_postern() {
  local at="" next i
  local -a candidates
  for ((i = 2; i < CURRENT; i++)); do
    next="\${at:+$at }\${words[i]}"
    case "$next" in
      (${paths.join(" | \\\n        ")}) at="$next" ;;
    esac
  done
  case "$at \${words[CURRENT - 1]}" in
${tree.flatMap(({ path, valueOptions }) => valueOptions.map((option) => valueCase(path, option))).join("\n")}
  esac
  case "$at" in
${tree.map(({ path, candidates }) => `    ("${path}") candidates=(${candidates.map(described).join(" ")}) ;;`).join("\n")}
  esac
  _describe -t commands postern candidates
}
compdef _postern postern`;
}

function valueCase(path: string, { flag, choices, isFolder }: ValueOption): string {
  const reply = isFolder ? "_files -/; " : choices.length > 0 ? `compadd -- ${choices.join(" ")}; ` : "";
  return `    ("${path} ${flag}") ${reply}return ;;`;
}

/** `_describe` separates the word and its description by a colon. */
function described({ word, description }: Candidate): string {
  const text = description === "" ? word : `${word}:${description}`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
