import { AppError } from "../errors.ts";

/** Says which setting names a port that cannot be had; code 1 and not 78, because it may be free at the next start. */
export function explainPort(key: string, { host, port }: { host: string; port: number }) {
  return (error: unknown): never => {
    if (!(error instanceof Error && "syscall" in error && "code" in error)) throw error;
    const reason =
      error.code === "EADDRINUSE"
        ? "it is in use; each process on a machine needs ports of its own"
        : String(error.code);
    const message = `${key} is ${port}, but ${host}:${port} cannot be listened on: ${reason}.`;
    throw new AppError("UNAVAILABLE", message, { cause: error });
  };
}
