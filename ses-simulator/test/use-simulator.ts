import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SESv2Client } from "@aws-sdk/client-sesv2";
import { SNSClient } from "@aws-sdk/client-sns";
import { SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll } from "vitest";
import { type SesSimulator, type SimulatorOptions, startSesSimulator } from "../src/ses-simulator.ts";

export const credentials = { accessKeyId: "simulator", secretAccessKey: "simulator" };

/** A simulator for one test file, with official clients for it. `shop.test` can send. */
export class RunningSimulator {
  readonly options: SimulatorOptions;
  #simulator: SesSimulator | undefined;

  constructor(options: SimulatorOptions) {
    const dataFolder = mkdtempSync(join(tmpdir(), "ses-simulator-test-"));
    this.options = { verifiedIdentities: ["shop.test"], outcomeAfterSeconds: 0.02, dataFolder, ...options };
  }

  get simulator(): SesSimulator {
    if (this.#simulator === undefined) throw new Error("The simulator is not running");
    return this.#simulator;
  }

  get url(): string {
    return this.simulator.url;
  }

  get ses(): SESv2Client {
    return new SESv2Client(this.#clientOptions());
  }

  get sns(): SNSClient {
    return new SNSClient(this.#clientOptions());
  }

  get sqs(): SQSClient {
    return new SQSClient(this.#clientOptions());
  }

  /** Calls `/_simulator/<path>` and returns its JSON. */
  async control(method: string, path: string, body?: unknown): Promise<ControlAnswer> {
    const response = await fetch(`${this.url}/_simulator/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  async start(): Promise<void> {
    this.#simulator = await startSesSimulator(this.options);
  }

  async stop(): Promise<void> {
    await this.#simulator?.stop();
    this.#simulator = undefined;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  #clientOptions() {
    return { endpoint: this.url, region: "eu-west-1", credentials, maxAttempts: 1 };
  }
}

interface ControlAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the members it expects and fails if one is missing
  body: any;
}

export function useSimulator(options: SimulatorOptions = {}): RunningSimulator {
  const running = new RunningSimulator(options);
  beforeAll(() => running.start());
  afterAll(async () => {
    await running.stop();
    if (running.options.dataFolder !== undefined) rmSync(running.options.dataFolder, { recursive: true, force: true });
  });
  return running;
}
