import { expect, test } from "vitest";
import { EndpointPosts } from "./endpoint-posts.ts";

const fast = { isSuccess: true, durationMs: 5 };

test("four posts of an endpoint run at a time, the others in their order; another endpoint does not wait", async () => {
  const { posts, started, begin } = aWorker();
  for (const name of ["a1", "a2", "a3", "a4", "a5", "a6", "b1"]) begin(name);
  await ticks();
  expect(started).toEqual(["a1", "a2", "a3", "a4", "b1"]);
  posts.end("a", fast);
  await ticks();
  expect(started.slice(5)).toEqual(["a5"]);
  posts.end("a", fast);
  posts.end("a", fast);
  await ticks();
  expect(started.slice(6)).toEqual(["a6"]);
});

test.each([
  ["a failure", { isSuccess: false, durationMs: 5 }],
  ["a slow answer", { isSuccess: true, durationMs: 51 }],
  ["a post that was not made", { isSuccess: false, durationMs: undefined }],
])("after %s everything that waits is given back, and the endpoint is no longer fast", async (_, result) => {
  const { posts, started, givenBack, begin } = aWorker();
  for (const name of ["a1", "a2", "a3", "a4", "a5", "a6"]) begin(name);
  await ticks();
  posts.end("a", fast);
  await ticks();
  expect(posts.fast()).toEqual(["a"]);
  posts.end("a", result);
  await ticks();
  expect(started).toEqual(["a1", "a2", "a3", "a4", "a5"]);
  expect(givenBack).toEqual(["a6"]);
  expect(posts.fast()).toEqual([]);
  begin("a7");
  await ticks();
  expect(started.at(-1)).toBe("a7");
});

test("an endpoint counts as fast for a second after its last answer", async () => {
  const { posts, begin, wait } = aWorker();
  begin("a1");
  await ticks();
  posts.end("a", fast);
  wait(1_000);
  expect(posts.fast()).toEqual(["a"]);
  wait(1);
  expect(posts.fast()).toEqual([]);
});

test("an endpoint is short of deliveries while fewer than four wait", async () => {
  const { posts, begin } = aWorker();
  for (const name of ["a1", "a2", "a3", "a4", "a5", "a6", "a7"]) begin(name);
  await ticks();
  expect(posts.isShort("a")).toBe(true);
  begin("a8");
  expect(posts.isShort("a")).toBe(false);
});

function aWorker() {
  let now = 0;
  const posts = new EndpointPosts(() => now);
  const started: string[] = [];
  const givenBack: string[] = [];
  /** The first letter is the endpoint. */
  const begin = (name: string) =>
    void posts.begin(name.charAt(0)).then((mayPost) => (mayPost ? started : givenBack).push(name));
  const wait = (milliseconds: number) => {
    now += milliseconds;
  };
  return { posts, started, givenBack, begin, wait };
}

function ticks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
