import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { runPostern } from "../../test/run-postern.ts";
import { bashScript } from "./completion/bash-script.ts";
import { describeTree } from "./completion/completion-tree.ts";
import { fishScript } from "./completion/fish-script.ts";
import { zshScript } from "./completion/zsh-script.ts";
import { createProgram } from "./program.ts";

const tree = describeTree(createProgram());

test.for([
  ["postern ", "dev serve api worker migrate status listen aws admin completion help --version --help"],
  ["postern ser", "serve"],
  ["postern admin cre", "create-account create-key"],
  ["postern admin create-key --", "--account --type --name --scope --domain --expires-at --help"],
  ["postern admin create-key --account ada@example.com --ty", "--type"],
  ["postern admin create-key --type ", "live test"],
  ["postern admin create-key --name ", ""],
  ["postern admin quarantine re", "replay"],
  ["postern admin retry --code PROVIDER_OUT", "PROVIDER_OUTCOME_UNKNOWN"],
  ["postern migrate --cr", "--create-database"],
  ["postern completion ", "bash zsh fish --help"],
  ["postern help ad", "admin"],
  ["postern unknown ", "dev serve api worker migrate status listen aws admin completion help --version --help"],
] as const)("bash completes %j", ([typed, expected]) => {
  expect(completedByBash(typed)).toBe(expected);
});

test("`postern completion bash` prints the script that bash runs", async () => {
  expect(await runPostern(["completion", "bash"])).toEqual({ code: 0, stderr: "", stdout: `${bashScript(tree)}\n` });
});

test.for([
  ["zsh", zshScript(tree)],
  ["fish", fishScript(tree)],
] as const)("`postern completion %s` offers every command and option", async ([shell, script]) => {
  expect((await runPostern(["completion", shell])).stdout).toBe(`${script}\n`);
  for (const { path, candidates } of tree) {
    expect(script).toContain(path);
    for (const { word } of candidates) expect(script).toContain(word.replace(/^--/, ""));
  }
});

/** The words that a real bash offers at the end of the typed line. */
function completedByBash(typed: string): string {
  const words = typed.split(" ").map((word) => `'${word}'`);
  const script = `${bashScript(tree)}
    COMP_WORDS=(${words.join(" ")})
    COMP_CWORD=${words.length - 1}
    _postern
    echo "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-euc", script], { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.trim();
}
