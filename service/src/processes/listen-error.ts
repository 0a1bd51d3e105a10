import { AppError } from "../errors.ts";

/** Names the setting of the port. An AppError ends the process with code 1, not 78: the port can be free at the next start. */
export function explainListenError(key: string, { host, port }: { host: string; port: number }) {
  return (error: unknown): never => {
    if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error;
    const reason =
      error.code === "EADDRINUSE"
        ? "the port is in use. Choose another one; each process on a machine needs its own"
        : String(error.code);
    const message = `Cannot listen on ${host}:${port} (setting ${key}): ${reason}.`;
    throw new AppError("UNAVAILABLE", message, { cause: error });
  };
}
