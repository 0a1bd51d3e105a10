import { until } from "../../../service/proofs/until.ts";
import type { Docker } from "../../engine/docker.ts";
import { postgresImage } from "../../engine/stand-ins.ts";
import { longestWaitSeconds } from "./steps.ts";

export const postgresPassword = "secret";

/** Starts a PostgreSQL 18 on the machine itself, which the operator provides in production. */
export async function startPostgres(docker: Docker): Promise<void> {
  const settings = ["POSTGRES_USER=postern", "POSTGRES_DB=postgres", `POSTGRES_PASSWORD=${postgresPassword}`];
  const env = settings.flatMap((setting) => ["--env", setting]);
  const options = ["--name", "postgres", "--network", "host", "--shm-size=256m", ...env];
  await docker(["run", "-d", ...options, postgresImage, "-c", "max_connections=156"]);
  const isReady = ["exec", "postgres", "pg_isready", "--host=127.0.0.1", "--username=postern"];
  await until(
    "PostgreSQL answers",
    longestWaitSeconds,
    () =>
      docker(isReady).then(
        () => true,
        () => false,
      ),
    500,
  );
}
