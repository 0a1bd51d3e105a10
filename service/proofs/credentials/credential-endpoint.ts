import { createServer, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { answerAsPlanned, type Phase, plannedAnswer, type SourcePlan } from "./source-plan.ts";

export interface CredentialEndpoint {
  url: string;
  close(): Promise<void>;
}

/** Answers as the credential endpoint of a container does, when its plan lets it. */
export async function startCredentialEndpoint(phases: Phase[]): Promise<CredentialEndpoint> {
  let startMs: number | undefined;
  const server = createServer((_request, response) => {
    startMs ??= Date.now();
    void answer({ startMs, phases }, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the endpoint has no port");
  return {
    url: `http://127.0.0.1:${address.port}/credentials`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(plan: SourcePlan, response: ServerResponse): Promise<void> {
  const { does, remainingMs } = plannedAnswer(plan, Date.now());
  if (does === "never") return;
  if (does === "trickle") {
    await trickle(response, remainingMs);
    return;
  }
  const credentials = await answerAsPlanned(plan);
  response.statusCode = credentials === undefined ? 500 : 200;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(credentials ?? { code: "500", message: "no credentials" }));
}

/** The bytes are a valid answer, but one that takes the rest of the phase. */
async function trickle(response: ServerResponse, forMs: number): Promise<void> {
  const credentials = await answerAsPlanned({ startMs: 0, phases: [] });
  const text = JSON.stringify(credentials);
  response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
  for (const character of text) {
    if (response.destroyed) return;
    response.write(character);
    await sleep(forMs / text.length);
  }
  response.end();
}
