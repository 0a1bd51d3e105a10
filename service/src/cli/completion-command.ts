import { Argument, type Command } from "commander";
import { say } from "../plain-text.ts";
import { PosternCommand } from "./postern-command.ts";

type Shell = "bash" | "zsh" | "fish";

export function completionCommand(): PosternCommand {
  return new PosternCommand("completion")
    .about(
      "print a script that completes commands and options in a shell",
      "Load it in the start file of the shell, as the examples show. After an upgrade of Postern, a new shell loads the new script.",
    )
    .addArgument(new Argument("SHELL", "bash, zsh or fish").choices(["bash", "zsh", "fish"]))
    .example(
      "echo 'source <(postern completion bash)' >> ~/.bashrc",
      "echo 'source <(postern completion zsh)' >> ~/.zshrc   # below compinit",
      "echo 'postern completion fish | source' >> ~/.config/fish/config.fish",
    )
    .action(async (shell: Shell, _options: unknown, command: Command) => {
      const root = command.parent ?? command;
      say(await scriptFor(shell, root));
    });
}

async function scriptFor(shell: Shell, root: Command): Promise<string> {
  const { describeTree } = await import("./completion/completion-tree.ts");
  const tree = describeTree(root);
  switch (shell) {
    case "bash":
      return (await import("./completion/bash-script.ts")).bashScript(tree);
    case "zsh":
      return (await import("./completion/zsh-script.ts")).zshScript(tree);
    case "fish":
      return (await import("./completion/fish-script.ts")).fishScript(tree);
  }
}
