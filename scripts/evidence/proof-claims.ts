import { globSync } from "node:fs";
import { basename, join } from "node:path";
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

export function proofClaim({ name, file, proof: { promise, covers } }: NamedProof): Claim {
  return { key: `prove/${name}`, promise, command: `npm run prove -- ${name}`, covers: [...covers, file] };
}
