import { execFileSync } from "node:child_process";

/** The address from which apt of this machine installs Debian, without its security updates. */
export function findDebianMirror(): string {
  const format = "$(REPO_URI) $(RELEASE) $(COMPONENT)";
  const lines = execFileSync("apt-get", ["indextargets", "--format", format], { encoding: "utf8" }).split("\n");
  const found = lines.map((line) => line.split(" ")).find(([, release, component]) => isMain(release, component));
  const mirror = found?.[0];
  if (mirror === undefined) throw new Error("apt of this machine names no mirror of Debian 12 (bookworm) or newer");
  return mirror;
}

function isMain(release = "", component = ""): boolean {
  return component === "main" && /^(bookworm|trixie|forky|sid|unstable)$/.test(release);
}
