import type { CompletionNode, ValueOption } from "./completion-tree.ts";

/** Works in bash 3.2, the version of macOS, and later. */
export function bashScript(tree: CompletionNode[]): string {
  const paths = tree.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  return `# bash completion of postern, printed by: postern completion bash
_postern() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" command="" next i
  for ((i = 1; i < COMP_CWORD; i++)); do
    next="\${command:+$command }\${COMP_WORDS[i]}"
    case "$next" in
      ${paths.join(" | \\\n        ")}) command="$next" ;;
    esac
  done
  COMPREPLY=()
  case "$command $previous" in
${tree.flatMap(({ path, valueOptions }) => valueOptions.map((option) => valueCase(path, option))).join("\n")}
  esac
  case "$command" in
${tree.map(wordsCase).join("\n")}
  esac
}
complete -F _postern postern`;
}

function valueCase(path: string, { flag, choices, isFolder }: ValueOption): string {
  const words = isFolder ? "-d" : `-W "${choices.join(" ")}"`;
  const reply = isFolder || choices.length > 0 ? `COMPREPLY=($(compgen ${words} -- "$current")); ` : "";
  return `    "${path} ${flag}") ${reply}return ;;`;
}

function wordsCase({ path, candidates }: CompletionNode): string {
  const words = candidates.map(({ word }) => word).join(" ");
  return `    "${path}") COMPREPLY=($(compgen -W "${words}" -- "$current")) ;;`;
}
