import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { AppError } from "../../errors.ts";
import { ListenLoop } from "./listen-loop.ts";
import { type ListenedNotification, type ListenerApi, ListenerEnded, PassingFailure } from "./listener-api.ts";

test("a passing failure of the API is reported once, and so is its end", async () => {
  const down = new PassingFailure("UNAVAILABLE", "The API is down.");
  const { run, notes, forwarded } = listening([[], down, down, down, ["a"], []]);
  await run;
  expect(notes).toEqual([
    "The API is down. Postern tries again every 0.001 seconds.",
    "The API answers again.",
    "The listener is deleted.",
  ]);
  expect(forwarded).toEqual(["a"]);
});

test("a listener that has ended is replaced, and the last one is deleted", async () => {
  const { run, notes, api } = listening([["a"], new ListenerEnded(), ["b"]]);
  await run;
  expect(notes).toEqual([expect.stringContaining("The listener has ended."), "The listener is deleted."]);
  expect(vi.mocked(api.take).mock.calls.map(([id]) => id)).toEqual(["l1", "l1", "l2", "l2"]);
  expect(vi.mocked(api.delete).mock.calls).toEqual([["l2"]]);
});

test("a replacement that fails for a while is tried again", async () => {
  const { run, api, forwarded } = listening([new ListenerEnded(), ["b"]]);
  vi.mocked(api.create)
    .mockResolvedValueOnce({ webhook_id: "l1", mode: "test" })
    .mockRejectedValueOnce(new PassingFailure("UNAVAILABLE", "The API is down."));
  await run;
  expect(api.create).toHaveBeenCalledTimes(3);
  expect(forwarded).toEqual(["b"]);
});

test("a refusal ends the run with its reason, and the listener is deleted", async () => {
  const refused = new AppError("UNAUTHORIZED", "The key is revoked.");
  const { run, api } = listening([["a"], refused]);
  await expect(run).rejects.toBe(refused);
  expect(api.delete).toHaveBeenCalledTimes(1);
});

test("a refusal of the first listener ends the run without a deletion", async () => {
  const refused = new PassingFailure("UNAVAILABLE", "The API is down.");
  const { run, api } = listening([]);
  vi.mocked(api.create).mockReset().mockRejectedValue(refused);
  await expect(run).rejects.toBe(refused);
  expect(api.delete).not.toHaveBeenCalled();
});

test("takes go on while a receiver is slow, for no more than there is room, and what waits is counted at the end", async () => {
  const many = Array.from({ length: 50 }, (_, index) => `n${index}`);
  const { run, api } = listening([many.slice(0, 20), many.slice(20), [], []], () => new Promise(() => undefined));
  expect(await run).toBe(50);
  expect(vi.mocked(api.take).mock.calls.map(([, limit]) => limit)).toEqual([50, 30, 0, 0, 0]);
});

test("a failed deletion is a note, because the listener ends by itself", async () => {
  const { run, api, notes } = listening([]);
  vi.mocked(api.delete).mockRejectedValue(new PassingFailure("UNAVAILABLE", "The API is down."));
  expect(await run).toBe(0);
  expect(notes).toEqual([expect.stringContaining("It ends by itself within a minute.")]);
});

type Step = string[] | Error;

/** Each take gives the next step; after the last one the run is interrupted. `receive` is for a receiver that does not answer. */
function listening(steps: Step[], receive: () => Promise<void> = () => Promise.resolve()) {
  const stopping = new AbortController();
  const [notes, forwarded] = [[] as string[], [] as string[]];
  let created = 0;
  const api: ListenerApi = {
    create: vi.fn(async () => ({ webhook_id: `l${++created}`, mode: "test" as const })),
    take: vi.fn(async () => {
      const step = steps.shift();
      if (step === undefined) {
        await sleep(20);
        stopping.abort();
        return [];
      }
      if (step instanceof Error) throw step;
      return step.map(aNotification);
    }),
    delete: vi.fn(async () => undefined),
  };
  // Starts after the test has replaced answers.
  const run = sleep(1).then(() =>
    new ListenLoop({
      api,
      wanted: {},
      signal: stopping.signal,
      note: (text) => notes.push(text),
      onListening: () => undefined,
      async forward({ notification_id }, ending) {
        await Promise.race([receive(), new Promise((resolve) => ending.addEventListener("abort", resolve))]);
        forwarded.push(notification_id);
      },
      pollMs: 1,
      retryMs: 1,
    }).run(),
  );
  return { run, api, notes, forwarded };
}

function aNotification(id: string): ListenedNotification {
  return { notification_id: id, type: "send.sent", body: "{}" };
}
