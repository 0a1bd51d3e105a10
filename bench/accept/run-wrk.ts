import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestSender } from "../../service/proofs/sends/sending-client.ts";

export interface WrkResult {
  requests: number;
  seconds: number;
  refused: number;
  broken: number;
  p50: number;
  p99: number;
}

const script = join(import.meta.dirname, "load.lua");
const bodyBytes = 2_000;

/** Each connection sends its next request when the last one is answered. wrk, because a client in Node would take the CPU time that is measured. */
export async function runWrk(url: string, senders: TestSender[], options: { connections: number; seconds: number }) {
  const folder = mkdtempSync(join(tmpdir(), "postern-bench-"));
  const [senderFile, textFile] = [join(folder, "senders"), join(folder, "texts")];
  writeFileSync(senderFile, senders.map(({ key, from }) => `${key}\t${from}\n`).join(""));
  const texts = Array.from({ length: 100 }, () => randomBytes(bodyBytes).toString("base64url").slice(0, bodyBytes));
  writeFileSync(textFile, texts.map((text) => `${text}\n`).join(""));
  try {
    const load = ["-t1", `-c${options.connections}`, `-d${options.seconds}s`, "--timeout", "10s", "-s", script];
    const scriptArguments = [senderFile, textFile, randomBytes(4).toString("hex")];
    const { stdout } = await promisify(execFile)("wrk", [...load, `${url}/api/v1/send`, "--", ...scriptArguments]);
    const result: WrkResult = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? "null");
    if (result.refused + result.broken > 0)
      throw new Error(`${url}: ${result.refused} requests refused, ${result.broken} without an answer`);
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
