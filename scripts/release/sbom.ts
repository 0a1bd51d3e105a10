import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Both packages, and the console: its built files are in the package of the service and in the image. */
export const sbomWorkspaces = ["service", "sdk", "console"] as const;

type SbomWorkspace = (typeof sbomWorkspaces)[number];

interface Component {
  "bom-ref": string;
}

interface Sbom {
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * CycloneDX. For a package, what npm installs with it. All packages of the console are development ones, because it ships as built
 * files: its SBOM has all of them, those that end up in the files and those that build and test them.
 *
 * Not with `npm sbom --omit dev`: it also leaves out packages that the service needs and another workspace has for development or as
 * optional ones, such as `pg` and the AWS SDK.
 */
export function sbomOf(repository: string, workspace: SbomWorkspace): string {
  const args = ["sbom", "--sbom-format", "cyclonedx", "--workspace", workspace];
  const text = execFileSync("npm", args, {
    cwd: repository,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const manifest = JSON.parse(readFileSync(join(repository, workspace, "package.json"), "utf8"));
  const needed: Record<string, string> = workspace === "console" ? manifest.devDependencies : manifest.dependencies;
  const isNeeded = (ref: string) => ref.slice(0, ref.lastIndexOf("@")) in (needed ?? {});
  return `${JSON.stringify(within(JSON.parse(text), `${manifest.name}@${manifest.version}`, isNeeded), null, 2)}\n`;
}

/** The part of an SBOM about one package: what is reached from its needed dependencies. */
function within(sbom: Sbom, own: string, isNeeded: (ref: string) => boolean): Sbom {
  const dependsOn = new Map(sbom.dependencies.map((each) => [each.ref, each.dependsOn]));
  const direct = (dependsOn.get(own) ?? []).filter(isNeeded);
  const reached = new Set<string>();
  for (const queue = [...direct]; queue.length > 0; ) {
    const ref = queue.pop() ?? "";
    if (reached.has(ref)) continue;
    reached.add(ref);
    queue.push(...(dependsOn.get(ref) ?? []));
  }
  const component = sbom.components.find((each) => each["bom-ref"] === own);
  if (component === undefined) throw new Error(`npm sbom does not name ${own}`);
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component },
    components: sbom.components.filter((each) => reached.has(each["bom-ref"])),
    dependencies: [{ ref: own, dependsOn: direct }, ...sbom.dependencies.filter(({ ref }) => reached.has(ref))],
  };
}
