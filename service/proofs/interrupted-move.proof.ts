import type { Proof } from "../../scripts/proof.ts";
import { switchMove } from "../src/moves/switch-move.ts";
import { undoMove } from "../src/moves/undo-move.ts";
import { Crash, CrashAt } from "../test/crash-at.ts";
import {
  aMoveContext,
  anAccountWithMail,
  type Cells,
  livesIn,
  type MovedAccount,
  mailOf,
  openCells,
} from "../test/two-moving-cells.ts";

/** The size is the number of statements before which each kind of run ends; at full size all of them. */
export const proof: Proof = {
  promise:
    "A move of an account that dies before any of its statements is continued, or undone and then repeated: one cell has the account and each of its mails, once",
  covers: ["service/migrations", "service/src/moves"],
  size: { small: 3, full: 10_000 },
  run: async (size, { serverUrl, progress }) => {
    const cells = await openCells(serverUrl);
    try {
      const names = await namesOfMove(cells);
      const release = names.indexOf("release-incoming-move") + 1;
      const undoNames = await namesOfUndo(cells);
      const counts = { continued: 0, undone: 0, undoContinued: 0 };
      const problems: string[] = [];
      const check = async (name: string | undefined, account: MovedAccount, home: keyof Cells) => {
        problems.push(...(await problemsOf(cells, account, home)).map((problem) => `before ${name}: ${problem}`));
      };
      for (const at of points(names, size, names.indexOf("hold-for-move"))) {
        const account = await anAccountWithMail(cells);
        await crashIn(() => move(cells, account, at));
        if ((await livesIn(cells, account.id)).includes("and"))
          problems.push(`before ${names[at - 1]}: both cells work`);
        await move(cells, account);
        await check(names[at - 1], account, "target");
        counts.continued++;
      }
      progress(`${counts.continued} continued`);
      for (const at of points(names.slice(0, release), size, names.indexOf("hold-for-move"))) {
        const account = await anAccountWithMail(cells);
        await crashIn(() => move(cells, account, at));
        await undoIfMoving(cells, account);
        await check(names[at - 1], account, "source");
        counts.undone++;
      }
      progress(`${counts.undone} undone`);
      for (const at of points(undoNames, size, 0)) {
        const account = await anAccountWithMail(cells);
        await crashIn(() => move(cells, account, "release-incoming-move"));
        await crashIn(() => undoMove(aMoveContext(cells, account, new CrashAt(at))));
        await undoIfMoving(cells, account);
        await check(undoNames[at - 1], account, "source");
        await move(cells, account);
        await check(`the second move after ${undoNames[at - 1]}`, account, "target");
        counts.undoContinued++;
      }
      return {
        figure:
          `${counts.continued} moves that died and were continued, ${counts.undone} that were undone, ${counts.undoContinued} undos that died, were continued and ` +
          `followed by a second move, of ${names.length} and ${undoNames.length} statements: ${problems.length} with the account or a mail in the wrong cell` +
          problems.map((problem) => `\n${problem}`).join(""),
        holds: problems.length === 0 && counts.undoContinued > 0,
      };
    } finally {
      await cells.close();
    }
  },
};

/** Positions of statements, from 1. Pages and polls repeat a statement: of these the first one. A small size takes as many, spread from `first` on. */
function points(names: string[], size: number, first: number): number[] {
  const all = names.flatMap((name, index) => (name === names[index - 1] ? [] : [index + 1]));
  if (all.length <= size) return all;
  const late = all.filter((at) => at > first);
  return Array.from(
    { length: Math.min(size, late.length) },
    (_, index) => late[Math.floor((index * late.length) / size)] ?? 1,
  );
}

async function namesOfMove(cells: Cells): Promise<string[]> {
  const counting = new CrashAt();
  await switchMove(aMoveContext(cells, await anAccountWithMail(cells), counting), async () => undefined);
  return counting.names;
}

async function namesOfUndo(cells: Cells): Promise<string[]> {
  const account = await anAccountWithMail(cells);
  await crashIn(() => move(cells, account, "release-incoming-move"));
  const counting = new CrashAt();
  await undoMove(aMoveContext(cells, account, counting));
  return counting.names;
}

async function move(cells: Cells, account: MovedAccount, crashAt?: number | string): Promise<void> {
  await switchMove(aMoveContext(cells, account, new CrashAt(crashAt)), async () => undefined);
}

async function problemsOf(cells: Cells, { id, mail }: MovedAccount, home: keyof Cells): Promise<string[]> {
  const other = home === "source" ? "target" : "source";
  const lives = await livesIn(cells, id);
  return [
    ...(lives === home ? [] : [`the account works in ${lives || "no cell"} and not in the ${home}`]),
    ...((await mailOf(cells[home], id)) === mail ? [] : [`the ${home} lacks mail`]),
    ...((await mailOf(cells[other], id)) === "[]" ? [] : [`the ${other} has mail`]),
  ];
}

async function crashIn(run: () => Promise<unknown>): Promise<void> {
  await run().catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
}

/** A run that died before the move began, or after the undo ended, leaves nothing to undo. */
async function undoIfMoving(cells: Cells, account: MovedAccount): Promise<void> {
  await undoMove(aMoveContext(cells, account, new CrashAt())).catch((error: unknown) => {
    if (!(error instanceof Error && error.message.includes("is not moving"))) throw error;
  });
}
