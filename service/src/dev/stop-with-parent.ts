import { type FileLock, holdShared } from "./file-lock.ts";
import { processesLock } from "./state-folder.ts";

/**
 * Loaded into each process of `postern dev` before its own code: when the parent is gone, killed perhaps, the process
 * stops as if it had been asked to. The lock lets the next start see when the last of them has ended.
 */
process.on("disconnect", () => process.kill(process.pid, "SIGTERM"));
process.channel?.unref();

// Held here, because a lock that is collected is released.
const held: FileLock | undefined = holdShared(processesLock);
process.on("exit", () => held?.release());
