import { PosternCommand } from "./postern-command.ts";

export function serveCommand(): PosternCommand {
  return aProcess("serve")
    .about(
      "start the HTTP API and a worker in one process, for small installations",
      "Both stop together. On SIGTERM or Ctrl-C they finish the work in progress, for at most 25 seconds. An error that ends one of " +
        "them ends the command with code 1. They share DATABASE_POOL_SIZE connections (accepting has 4 more, and so have webhooks) and one port for /metrics and /health: " +
        "OPERATIONS_PORT, or 3001.",
      "When mail and requests compete for the processor, run `postern api` and `postern worker` instead.",
    )
    .example("postern serve")
    .action(async () => (await import("../processes/serve.ts")).runServe());
}

export function apiCommand(): PosternCommand {
  return aProcess("api")
    .about(
      "start the HTTP API",
      "It listens on HOST and PORT. On SIGTERM or Ctrl-C it finishes the requests in progress, for at most 25 seconds.",
    )
    .example("postern api", "PORT=8080 postern api")
    .action(async () => (await import("../processes/api.ts")).runApi());
}

export function workerCommand(): PosternCommand {
  return aProcess("worker")
    .about(
      "start a worker: it sends mail, reads feedback and verifies domains",
      "Live mail needs the settings that `postern aws setup` prints; without them the worker sends only test mail. " +
        "On SIGTERM or Ctrl-C it finishes the submissions in progress, for at most 25 seconds.",
    )
    .example("postern worker", "OPERATIONS_PORT=3003 postern worker")
    .action(async () => (await import("../processes/worker.ts")).runWorker());
}

export function migrateCommand(): PosternCommand {
  return new PosternCommand("migrate")
    .about(
      "update the database schema to this release",
      "Safe to repeat and to run in several processes at once: one of them migrates, the others wait for it.",
    )
    .option(
      "--create-database",
      "create the database that DATABASE_URL names first, if it does not exist; the user needs the right to create databases",
    )
    .example("postern migrate", "postern migrate --create-database")
    .action(async ({ createDatabase = false }: { createDatabase?: boolean }) => {
      const { runMigrate } = await import("../processes/migrate.ts");
      await runMigrate({ createDatabase });
    });
}

/** A long-running process reads all its settings from the environment. */
function aProcess(name: "serve" | "api" | "worker"): PosternCommand {
  const command = new PosternCommand(name);
  command.unknownOptionText = `\`postern ${name}\` takes no options. Set the values in .env; .env.example describes them.`;
  return command;
}
