import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");

export interface Instruction {
  name: string;
  rest: string;
}

/** The stages of a Dockerfile, each beginning with its FROM. Instructions before the first FROM are left out. */
export function readStages(text: string): Instruction[][] {
  const stages: Instruction[][] = [];
  for (const instruction of readInstructions(text)) {
    if (instruction.name === "FROM") stages.push([]);
    stages.at(-1)?.push(instruction);
  }
  return stages;
}

/** Removes comments and joins continued lines. Heredocs are not supported. */
function readInstructions(text: string): Instruction[] {
  const code = text
    .split("\n")
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join("\n");
  return code
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => {
      const [, name = "", rest = ""] = /^([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
      if (name === "") throw new Error(`not an instruction: ${line}`);
      return { name: name.toUpperCase(), rest };
    });
}

export function ofStage(stage: Instruction[], name: string): string[] {
  return stage.filter((instruction) => instruction.name === name).map(({ rest }) => rest);
}

/** The settings of a container, from the last stage of deploy/Dockerfile. */
export function readImage() {
  const stages = readStages(readFileSync(join(root, "deploy/Dockerfile"), "utf8"));
  const last = stages.at(-1) ?? [];
  const only = (name: string) => {
    const [found, ...more] = ofStage(last, name);
    if (found === undefined || more.length > 0) throw new Error(`the last stage needs exactly one ${name}`);
    return found;
  };
  return {
    stages,
    user: only("USER"),
    entrypoint: execForm(only("ENTRYPOINT")),
    command: execForm(only("CMD")),
    stopSignal: only("STOPSIGNAL"),
    healthCommand: execForm(only("HEALTHCHECK").replace(/^.*?CMD\s+/, "")),
    environment: Object.fromEntries(
      ofStage(last, "ENV")
        .flatMap((rest) => rest.split(/\s+/))
        .map((pair) => {
          const at = pair.indexOf("=");
          return [pair.slice(0, at), pair.slice(at + 1)];
        }),
    ) as Record<string, string>,
  };
}

/** Only a JSON list runs without a shell; a shell would not forward signals. */
function execForm(text: string): string[] {
  const words: unknown = JSON.parse(text);
  if (Array.isArray(words) && words.every((word) => typeof word === "string")) return words;
  throw new Error(`not a JSON list of strings: ${text}`);
}
