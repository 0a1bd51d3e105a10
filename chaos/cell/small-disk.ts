import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atTheEnd } from "./at-the-end.ts";

const prefix = "postern-chaos-disk-";

/** A file system of its own that can be full. Mounting needs root. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), prefix));

  constructor(megabytes: number) {
    unmountLeftOvers();
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", this.folder]);
    atTheEnd(() => unmount(this.folder));
  }

  get #filler(): string {
    return join(this.folder, "filler");
  }

  /** Not a page is left, and again not when some were freed meanwhile. */
  fill(): void {
    const { bavail, bsize } = statfsSync(this.folder);
    const piece = Buffer.alloc(Math.max(bsize, 1 << 20));
    try {
      for (let left = bavail * bsize; left > 0; left -= piece.length) writeFileSync(this.#filler, piece, { flag: "a" });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ENOSPC")) throw error;
    }
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }
}

/** Of a run that was killed with SIGKILL. */
function unmountLeftOvers(): void {
  const mounted = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "");
  for (const folder of mounted) if (folder.includes(`/${prefix}`)) unmount(folder);
}

/** Lazily, because a process that was just killed may still hold a file. */
function unmount(folder: string): void {
  execFileSync("umount", ["--lazy", folder]);
  rmSync(folder, { recursive: true, force: true });
}
