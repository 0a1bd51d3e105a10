import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { root } from "./container-file.ts";

export const composeFiles = ["compose.evaluation.yaml", "compose.production.yaml"] as const;

export interface ComposeService {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  secrets?: string[];
  scale?: number;
  stop_grace_period?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  [key: string]: unknown;
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  secrets?: Record<string, { file: string }>;
}

/** The files that add the SES simulator to a composition. */
export const simulatorFiles = ["compose.evaluation.simulator.yaml", "compose.production.simulator.yaml"] as const;

/** Resolves merge keys and leaves variables as they are. */
export function readComposeFile(name: (typeof composeFiles | typeof simulatorFiles)[number]): ComposeFile {
  return parse(readFileSync(join(root, "deploy", name), "utf8"), { merge: true });
}

/** The services that run Postern's image: those with a command. */
export function posternServices({ services }: ComposeFile): [name: string, service: ComposeService][] {
  return Object.entries(services).filter(([, { command }]) => command !== undefined);
}

/** A missing or empty variable: `${NAME:?text}` throws, `${NAME:-text}` becomes the text. */
export function withVariables(value: string, given: Record<string, string>): string {
  return value.replaceAll(/\$\{(\w+):([?-])(.*?)\}/g, (_, name: string, sign: string, text: string) => {
    const found = given[name] ?? "";
    if (found !== "") return found;
    if (sign === "?") throw new Error(`${name} is missing: ${text}`);
    return text;
  });
}
