import { PosternCommand } from "./postern-command.ts";

export function serveCommand(): PosternCommand {
  return aProcess("serve")
    .about(
      "start the HTTP API and a worker in one process, for small installations",
      "Both stop together. On SIGTERM the API serves for DRAIN_SECONDS more. On SIGTERM or Ctrl-C they finish the work in progress, for at most 25 seconds. An error that ends one of " +
        "them ends the command with code 1. They share DATABASE_POOL_SIZE connections (accepting has 4 more, and so have webhooks) and one port for /metrics and /health: " +
        "OPERATIONS_PORT, or 3001.",
      "When mail and requests compete for the processor, run `postern api` and `postern worker` instead.",
    )
    .example("postern serve")
    .action(async () => {
      (await import("./fit-small-machine.ts")).fitSmallMachine();
      await (await import("../processes/serve.ts")).runServe();
    });
}

export function apiCommand(): PosternCommand {
  return aProcess("api")
    .about(
      "start the HTTP API",
      "It listens on HOST and PORT. On SIGTERM /readyz answers 503, so that a proxy sends no more requests, while the API serves for " +
        "DRAIN_SECONDS more. Then it finishes the requests in progress and ends, at most 25 seconds after the signal. Ctrl-C does not wait; " +
        "a second signal ends it at once.",
    )
    .example("postern api", "PORT=8080 postern api")
    .action(async () => {
      (await import("./fit-small-machine.ts")).fitSmallMachine();
      await (await import("../processes/api.ts")).runApi();
    });
}

export function workerCommand(): PosternCommand {
  return aProcess("worker")
    .about(
      "start a worker: it sends mail, reads feedback and verifies domains",
      "Live mail needs the settings that `postern aws setup` prints; without them the worker sends only test mail. " +
        "On SIGTERM or Ctrl-C it finishes the submissions in progress, for at most 25 seconds.",
    )
    .example("postern worker", "OPERATIONS_PORT=3003 postern worker")
    .action(async () => {
      (await import("./fit-small-machine.ts")).fitSmallMachine();
      await (await import("../processes/worker.ts")).runWorker();
    });
}

export function migrateCommand(): PosternCommand {
  return new PosternCommand("migrate")
    .about(
      "update the database schema to this release",
      "Safe to repeat, to interrupt and to run in several processes at once: one of them migrates, the others wait for it. The version " +
        "before this one works on the new schema. A step that another session blocks waits 2 seconds for its lock, lets others pass and " +
        "tries again, for 10 minutes; the output names that session.",
      "With --contract it removes what older versions need instead: run it when all processes run this version, and no sooner. It " +
        "refuses while an older process runs, and afterwards older versions do not start. See docs/upgrades.md.",
    )
    .option(
      "--create-database",
      "create the database that DATABASE_URL names first, if it does not exist; the user needs the right to create databases",
    )
    .option("--contract", "run the steps that remove what older versions need")
    .example("postern migrate", "postern migrate --create-database", "postern migrate --contract")
    .action(async ({ createDatabase = false, contract = false }: { createDatabase?: boolean; contract?: boolean }) => {
      const { runContract, runMigrate } = await import("../processes/migrate.ts");
      await (contract ? runContract() : runMigrate({ createDatabase }));
    });
}

/** A long-running process reads all its settings from the environment. */
function aProcess(name: "serve" | "api" | "worker"): PosternCommand {
  const command = new PosternCommand(name);
  command.unknownOptionText = `\`postern ${name}\` takes no options. Set the values in .env; .env.example describes them.`;
  return command;
}
