import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { dockerProgram } from "./required-programs.ts";

const run = promisify(execFile);

interface CallOptions {
  cwd?: string;
  timeoutSeconds?: number;
  input?: string;
  env?: Record<string, string>;
}

/** A call of the Docker command line. Resolves with its standard output; rejects with everything that it printed. */
export type Docker = (args: string[], options?: CallOptions) => Promise<string>;

/** `folder` is the folder of the engine: its socket, and the plugins of the command line. */
export function createDocker(folder: string): Docker {
  const env = {
    PATH: "/usr/sbin:/usr/bin:/sbin:/bin",
    HOME: folder,
    DOCKER_HOST: `unix://${join(folder, "docker.sock")}`,
    DOCKER_CONFIG: join(folder, "docker-config"),
    DOCKER_BUILDKIT: "1",
    BUILDKIT_PROGRESS: "plain",
  };
  return async (args, { cwd = folder, timeoutSeconds = 60, input, env: more = {} } = {}) => {
    const calling = run(dockerProgram, args, {
      cwd,
      env: { ...env, ...more },
      timeout: timeoutSeconds * 1000,
      killSignal: "SIGKILL",
      maxBuffer: 64 * 2 ** 20,
    });
    // A command that ends without reading its input is no error here: its exit code says whether it failed.
    calling.child.stdin?.on("error", () => undefined).end(input ?? "");
    try {
      return (await calling).stdout;
    } catch (error) {
      const { stdout = "", stderr = "", killed } = error as { stdout?: string; stderr?: string; killed?: boolean };
      const why = killed === true ? ` did not end within ${timeoutSeconds} s` : " failed";
      throw new Error(`docker ${args.join(" ")}${why}:\n${`${stdout}${stderr}`.slice(-4000)}`, { cause: error });
    }
  };
}
