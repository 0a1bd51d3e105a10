import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Proof } from "../proof.ts";
import { repository } from "./measurement.ts";
import type { Claim } from "./result.ts";

export interface NamedProof {
  name: string;
  file: string;
  proof: Proof;
}

const files = new Map(
  globSync("*/proofs/*.proof.ts", { cwd: repository }).map((file) => [basename(file, ".proof.ts"), file]),
);

export function proofNames(): string[] {
  return [...files.keys()].toSorted();
}

export async function loadProof(name: string): Promise<NamedProof> {
  const file = files.get(name) ?? "";
  const { proof }: { proof: Proof } = await import(/* @vite-ignore */ join(repository, file));
  return { name, file, proof };
}

/** The file of a proof, and the files of its folder that it imports, directly or not. */
function proofCode(file: string, known = new Set<string>()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  const text = readFileSync(join(repository, file), "utf8");
  for (const [, path = ""] of text.matchAll(/from "(\.[^"]+)"/g)) {
    const imported = join(dirname(file), path);
    if (imported.includes("/proofs/")) proofCode(imported, known);
  }
  return known;
}

export function proofClaim({ name, file, proof: { promise, covers } }: NamedProof): Claim {
  return {
    key: `prove/${name}`,
    promise,
    command: `npm run prove -- ${name}`,
    covers: [...covers, ...proofCode(file)],
  };
}
