import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { root } from "./container-file.ts";

/**
 * The manifests of `deploy/kubernetes`, rendered by kubectl, by kustomize or, where neither is installed, by a kustomize from Debian.
 * Throws when none of them is available: a manifest that nothing rendered is not tested.
 */
export function renderManifests(): string {
  const folder = join(root, "deploy/kubernetes");
  return (
    run("kubectl", ["kustomize", folder]) ??
    run("kustomize", ["build", folder]) ??
    run(fetched(), ["build", folder]) ??
    ""
  );
}

/** Undefined when the program is not installed. */
function run(program: string, args: string[]): string | undefined {
  try {
    return execFileSync(program, args, { encoding: "utf8" });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function fetched(): string {
  try {
    const stdio = ["ignore", "pipe", "inherit"] as const;
    return execFileSync(join(root, "deploy/test/fetch-kustomize.sh"), { encoding: "utf8", stdio: [...stdio] }).trim();
  } catch (error) {
    const message =
      "Install kubectl or kustomize: this test renders the manifests, and kustomize could not be fetched from Debian.";
    throw new Error(message, { cause: error });
  }
}
