import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onExit } from "./on-exit.ts";

const prefix = "postern-chaos-disk-";

/** A separate file system that the run can fill up. Mounting it needs root. */
export class SmallDisk {
  readonly folder = mkdtempSync(join(tmpdir(), prefix));

  constructor(megabytes: number) {
    unmountLeftOvers();
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0755`, "tmpfs", this.folder]);
    onExit(() => unmount(this.folder));
  }

  get #filler(): string {
    return join(this.folder, "filler");
  }

  /** Fills all free space. Call it repeatedly, because PostgreSQL frees space in between. */
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

/** Unmounts the disk of an earlier run that was killed with SIGKILL. */
function unmountLeftOvers(): void {
  const mounted = readFileSync("/proc/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "");
  for (const folder of mounted) if (folder.includes(`/${prefix}`)) unmount(folder);
}

/** A lazy unmount, because a process that was just killed may still have a file open. */
function unmount(folder: string): void {
  execFileSync("umount", ["--lazy", folder]);
  rmSync(folder, { recursive: true, force: true });
}
