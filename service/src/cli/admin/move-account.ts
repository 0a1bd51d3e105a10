import { randomUUIDv7 } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { type Environment, readMovingCellConfig, readWorkerConfig } from "../../config.ts";
import { applicationName } from "../../db/code-range.ts";
import { type Database, openDatabase } from "../../db/database.ts";
import { openNameLocks } from "../../db/name-locks.ts";
import { AppError } from "../../errors.ts";
import { createLog } from "../../log.ts";
import type { MoveContext } from "../../moves/move-context.ts";
import { listMovedPrefixes, movedMapLines } from "../../moves/moved-keys.ts";
import type { MovingCell } from "../../moves/moving-cell.ts";
import { prepareMove } from "../../moves/prepare-move.ts";
import { readMoveState } from "../../moves/read-move-state.ts";
import { switchMove } from "../../moves/switch-move.ts";
import { undoMove } from "../../moves/undo-move.ts";
import { say, write } from "../../plain-text.ts";
import { openDomainDeps } from "../../processes/domain-deps.ts";
import { getAccountByIdOrEmail } from "../find-account.ts";
import { createProgressBar } from "../progress-bar.ts";
import { preparedText, relayedText, releasedText } from "./moved-text.ts";
import { tellProxy } from "./tell-proxy.ts";

export interface MoveAccountOptions {
  from: string;
  switch?: true;
  undo?: true;
  keys?: true;
  proxy?: string;
}

interface CommandContext {
  db: Database;
  environment: Environment;
}

export async function runMoveAccount(
  { db, environment }: CommandContext,
  account: string,
  options: MoveAccountOptions,
): Promise<void> {
  const sourceEnvironment = readSettings(options.from);
  const source = openSource(sourceEnvironment);
  const { directUrl } = readMovingCellConfig(sourceEnvironment).database;
  const locks = openNameLocks({ directUrl, onIdleError: () => undefined });
  const domains = openDomainDeps(readWorkerConfig(environment), db, createLog("silent"));
  try {
    const target = { ...cellOf(environment), db };
    const found = await getAccountByIdOrEmail(source.db, account);
    const lines = async () =>
      movedMapLines(await listMovedPrefixes(source.db, found.id), `cell_${target.code}`)
        .map((line) => `${line}\n`)
        .join("");
    if (options.keys) return write(await lines());
    if (domains === undefined)
      throw new AppError("CONFLICT", "AWS_FEEDBACK_TOPIC_ARN is missing in this cell. Run `postern aws setup`.");
    const context = { source, target, domains: domains.deps, account: found, runId: randomUUIDv7(), ...progress() };
    await locks.hold(`move-account ${found.id}`, () => run(context, options, lines));
  } finally {
    await Promise.all([source.db.close(), locks.close(), domains?.close()]);
  }
}

async function run(context: MoveContext, options: MoveAccountOptions, lines: () => Promise<string>): Promise<void> {
  if (options.undo) {
    await undoMove(context);
    return say(`${context.account.name} stays in the cell ${context.source.code}, and works there.`);
  }
  // After the release every run passes on what SES has reported to the former cell meanwhile.
  const isReleased = (await readMoveState(context)).kind === "released";
  if (!options.switch && !isReleased) return say(preparedText(context, await prepareMove(context)));
  const { heldSeconds, relayed } = await switchMove(context, async () => {
    const text = await lines();
    if (options.proxy === undefined) say(releasedText(context, text));
    else await tellProxy(options.proxy, text);
  });
  if (heldSeconds !== undefined) say(`The account was held for ${heldSeconds.toFixed(1)} s.`);
  say(relayedText(relayed));
}

/** Progress on a terminal, and a line for each thing that happens. */
function progress(): Pick<MoveContext, "say" | "onRows"> {
  const bar = createProgressBar(process.stdout, "rows");
  return {
    say: (text) => {
      bar.clear();
      say(`${new Date().toISOString().slice(11, 19)} ${text}`);
    },
    onRows: (rows) => bar.show(undefined, rows),
  };
}

function readSettings(file: string): Environment {
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "it has another format";
    throw new AppError(
      "NOT_FOUND",
      `The file ${file} cannot be read (${reason}). Give the settings of the other cell as NAME=value lines.`,
    );
  }
}

function cellOf(environment: Environment): Omit<MovingCell, "db"> {
  const { database: _database, ...cell } = readMovingCellConfig(environment);
  return cell;
}

function openSource(environment: Environment): MovingCell {
  const { database, ...cell } = readMovingCellConfig(environment);
  const named = { applicationName: applicationName("admin"), onIdleError: () => undefined };
  return { ...cell, db: openDatabase({ url: database.directUrl, ...named, statementTimeoutMs: 60_000, poolSize: 2 }) };
}
