import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Load } from "../../../chaos/load/load.ts";
import type { ProofTools } from "../../../scripts/proof.ts";
import {
  type FeedbackCell,
  healthOf,
  untilRateIsKnown,
  withFeedbackCell,
} from "../../../service/proofs/cell/feedback-cell.ts";
import { changeSimulator } from "../../../service/proofs/cell/simulator-control.ts";
import { createSendingClient, makeSenders, senderDomain } from "../../../service/proofs/sends/sending-client.ts";
import { until } from "../../../service/proofs/until.ts";
import {
  aLoopbackEndpoint,
  loopbackSettings,
  startLoopbackReceiver,
} from "../../../service/proofs/webhooks/loopback-receiver.ts";
import { revokeApiKey } from "../../../service/src/api-keys/api-key-store.ts";
import { readConfig } from "../../../service/src/config.ts";
import { anApiKey } from "../../../service/test/builders.ts";
import { aSuppression } from "../../../service/test/send-builders.ts";
import type { PosternProcess } from "../../../service/test/spawn-postern.ts";
import { createTemplate } from "../../../service/test/template-database.ts";
import { type ArchivedServer, startArchivedServer } from "./archived-server.ts";
import { compareRestored, type Restored } from "./compare-restored.ts";

interface RestoreFigures extends Restored {
  /** From the end of the old server to the first accepted request on the restored one. */
  recoverySeconds: number;
  copySeconds: number;
  markedInDoubt: number;
  /** Webhook ids that the receiver got again after the restore. */
  repeatedWebhooks: number;
}

export interface DrillFigures {
  backupSeconds: number;
  drill: Record<string, string>;
  latest: RestoreFigures;
  moment: RestoreFigures & {
    /** A key revoked after the moment works again; one created after it is refused. */
    revokedKeyWorks: boolean;
    newKeyIsRefused: boolean;
    suppressionIsGone: boolean;
  };
}

interface Pace {
  /** Of load before each step. */
  seconds: number;
  reportDelaySeconds: number;
  /** Undefined: as shipped. */
  archiveSeconds: number | undefined;
}

const perSecond = 12;
/** Below the load, so that mail waits in the queue. */
const submittedPerSecond = 9;
const senderCount = 3;

/** Backup under load, drill, loss of the server, restore to the newest state; then restore to a moment. */
export async function runDrill(pace: Pace, progress: ProofTools["progress"]): Promise<DrillFigures> {
  const server = await startArchivedServer(pace.archiveSeconds);
  const repeated = new Map<string, number>();
  const receiver = await startLoopbackReceiver(({ id }, response) => {
    repeated.set(id, (repeated.get(id) ?? 0) + 1);
    response.writeHead(200).end();
  });
  try {
    await createTemplate(server.url);
    const verifiedIdentities = Array.from({ length: senderCount }, (_, number) => senderDomain(number));
    const options = { verifiedIdentities, maxSendRate: submittedPerSecond };
    return await withFeedbackCell(server.url, options, async (cell) => {
      const countRepeated = () => [...repeated.values()].reduce((sum, count) => sum + count - 1, 0);
      return new Drill({ cell, server, pace, progress, countRepeated, receiverUrl: receiver.url }).run();
    });
  } finally {
    receiver.close();
    await server.stop();
  }
}

interface DrillDeps {
  cell: FeedbackCell;
  server: ArchivedServer;
  pace: Pace;
  progress: ProofTools["progress"];
  countRepeated(): number;
  receiverUrl: string;
}

class Drill {
  readonly #deps: DrillDeps;
  #workers: PosternProcess[] = [];

  constructor(deps: DrillDeps) {
    this.#deps = deps;
  }

  async run(): Promise<DrillFigures> {
    const { cell, server, pace, progress } = this.#deps;
    const { db, simulator } = cell;
    const senders = await makeSenders(db, cell, senderCount, [1_000, 10_000, 60_000]);
    const [first] = senders;
    if (first === undefined) throw new Error("the drill needs a sender");
    await aLoopbackEndpoint(db, {
      accountId: first.accountId,
      contentKeys: readConfig(cell.environment).secrets.contentKey,
      types: ["send.sent"],
      url: this.#deps.receiverUrl,
    });
    await changeSimulator(simulator, "POST", "rules", { match: {}, events: { delaySeconds: pace.reportDelaySeconds } });
    const api = await cell.start("api");
    await this.#startWorkers("resend");
    await untilRateIsKnown(cell);
    const startLoad = (seed: number) => {
      const acknowledgedFile = join(simulator.dataFolder, `acknowledged-${seed}.ndjson`);
      return new Load({ urls: [api.url], senders, sends: null, perSecond, seed, acknowledgedFile });
    };
    const firstLoad = startLoad(1);

    await sleep(pace.seconds * 1000);
    progress("backing up");
    const backupBegan = performance.now();
    await server.backUp();
    const backupSeconds = (performance.now() - backupBegan) / 1000;
    await sleep(pace.seconds * 1000);
    progress("drilling beside the running server");
    const drill = await server.drill(new URL(cell.url).pathname.slice(1));
    await sleep(pace.seconds * 1000);

    progress("the server is gone with its disk");
    const latest = await this.#restore(firstLoad, { sinceMs: 0, lose: () => server.destroy() });

    progress("sending before and after the moment");
    await this.#changeRate(submittedPerSecond);
    const sinceMs = Date.now();
    const secondLoad = startLoad(2);
    const client = createSendingClient(1);
    const key = await anApiKey(db, cell.apiKeyIssuer, first.accountId, { scopes: ["send"] });
    await sleep(pace.seconds * 1000);
    const [{ moment } = { moment: "" }] = await db.query<{ moment: string }>({
      name: "moment",
      text: "select now()::text as moment",
    });
    const momentMs = Date.now();
    await revokeApiKey(db.forAccount(first.accountId), key.id);
    const newKey = await anApiKey(db, cell.apiKeyIssuer, first.accountId, { scopes: ["send"] });
    await aSuppression(db, { accountId: first.accountId, email: "lost@example.io" });
    await sleep(pace.seconds * 1000);
    for (const worker of this.#workers) worker.kill("SIGTERM");
    await Promise.all(this.#workers.map(({ exited }) => exited));
    const restored = await this.#restore(secondLoad, {
      sinceMs,
      target: moment,
      momentMs,
      lose: () => server.retire(),
      startWorkers: () => this.#startWorkers("fail"),
    });
    const statusWith = async (secret: string) =>
      (await client.send(api.url, { ...first, key: secret }, { idempotency_key: secret.slice(-8) })).status;
    const [suppressions] = await db.query<{ count: number }>({
      name: "lost-suppressions",
      text: "select count(*) as count from suppressions where email = 'lost@example.io'",
    });
    const figures = {
      backupSeconds,
      drill,
      latest,
      moment: {
        ...restored,
        revokedKeyWorks: (await statusWith(key.key)) === 202,
        newKeyIsRefused: (await statusWith(newKey.key)) === 401,
        suppressionIsGone: suppressions?.count === 0,
      },
    };
    client.close();
    return figures;
  }

  async #startWorkers(policy: "resend" | "fail"): Promise<void> {
    const { cell, pace } = this.#deps;
    const settings = {
      ...loopbackSettings,
      IN_DOUBT_SECONDS: String(pace.reportDelaySeconds + 5),
      IN_DOUBT_MAX_SECONDS: "600",
      IN_DOUBT_POLICY: policy,
    };
    this.#workers = [await cell.start("worker", settings), await cell.start("worker", settings)];
  }

  async #restore(
    load: Load,
    how: { sinceMs: number; target?: string; momentMs?: number; lose(): Promise<void>; startWorkers?(): Promise<void> },
  ): Promise<RestoreFigures> {
    const { cell, server, pace, progress, countRepeated } = this.#deps;
    const endedMs = Date.now();
    await how.lose();
    await sleep(500);
    const { acknowledged } = load.progress;
    const repeatedBefore = countRepeated();
    const copyBegan = performance.now();
    await server.restore(how.target);
    const copySeconds = (performance.now() - copyBegan) / 1000;
    await how.startWorkers?.();
    progress("restored");
    await until("the API accepts again", 60, async () => load.progress.acknowledged > acknowledged, 20);
    const recoverySeconds = (Date.now() - endedMs) / 1000;
    const [detected] = await Promise.race(
      this.#workers.map(async (worker) => [await worker.logged("delivery.older-sends-in-doubt")]),
    );
    await load.finish();
    await this.#untilSettled();
    const keptUpTo = how.momentMs === undefined ? {} : { keptUpToMs: how.momentMs - 1_000 };
    const lost = { endedMs, reportDelayMs: pace.reportDelaySeconds * 1000, ...keptUpTo };
    return {
      ...(await compareRestored(cell, load.acknowledged(), how.sinceMs, lost)),
      recoverySeconds,
      copySeconds,
      markedInDoubt: Number(detected?.count),
      repeatedWebhooks: countRepeated() - repeatedBefore,
    };
  }

  /** The queue is empty, and SES has reported what it accepted. The rest of the backlog shows nothing more, so it goes out faster. */
  async #untilSettled(): Promise<void> {
    const { cell, pace, progress } = this.#deps;
    await this.#changeRate(200);
    const isEmpty = async () => {
      const [row] = await cell.db.query<{ left: number }>({
        name: "left",
        text: "select count(*) as left from send_queue",
      });
      progress(`${row?.left} in the queue`);
      return row?.left === 0;
    };
    await until("the queue is empty", 400, isEmpty, 500);
    await until("all events are applied", 60 + pace.reportDelaySeconds, async () => {
      return (await cell.queued()) + (await healthOf(cell.simulator)).pendingEvents === 0;
    });
  }

  /** Workers would learn the rate of SES within a minute. */
  async #changeRate(rate: number): Promise<void> {
    const { db, simulator } = this.#deps.cell;
    await changeSimulator(simulator, "PATCH", "account", { maxSendRate: rate });
    const text = "update provider_state set max_per_second = $1 where mode = 'live'";
    await db.query({ name: "change-rate", text, values: [rate] });
  }
}
