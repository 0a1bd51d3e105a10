import { expect, test } from "vitest";
import { again, type Comparison, compare } from "./compare.ts";
import { checkRatio, goalCheckText, isWithinLimit } from "./goal-check.ts";
import { checkCpu } from "./ranking.ts";

const target = { goal: 4, floor: 3, quickFloor: 1 };

test("every second round runs the contenders in the other order, each after its preparation", async () => {
  const steps: string[] = [];
  const contender = (name: string) => ({
    name,
    run: async () => {
      steps.push(name);
      return { rate: 1 };
    },
  });
  const plain = contender("plain");
  const prepare = async () => void steps.push("checkpoint");
  await compare([plain, again(plain), contender("postern")], 2, () => undefined, prepare);
  const order = steps.filter((step) => step !== "checkpoint");
  expect(order.slice(0, 3)).toEqual(["plain", "plain", "postern"]);
  expect(order.slice(3)).toEqual(["postern", "plain", "plain"]);
  expect(steps.filter((_, index) => index % 2 === 0)).toEqual(Array.from({ length: 6 }, () => "checkpoint"));
});

test("one slow round moves neither the median nor the quartiles of a ratio far", async () => {
  const rates = [400, 410, 390, 20, 400, 405, 395];
  const plain = { name: "plain", run: async () => ({ rate: 100 }) };
  const postern = { name: "postern", run: async (round: number) => ({ rate: rates[round] ?? 0 }) };
  const compared = await compare([plain, again(plain), postern], rates.length, () => undefined);
  expect(compared.ratios["plain again"]).toEqual({ median: 1, lower: 1, upper: 1 });
  const check = checkRatio("of the plain one", compared, target, { isQuick: false });
  expect(check).toMatchObject({ measured: 4, quartiles: { lower: 3.925, upper: 4.025 }, goal: 4, limit: 3 });
  expect(goalCheckText(check)).toBe("  ✓ of the plain one: 4 [3.92-4.03]; goal at least 4, limit 3");
});

test("a ratio to a contender that answered nothing does not hold", async () => {
  const plain = { name: "plain", run: async () => ({ rate: 0 }) };
  const postern = { name: "postern", run: async () => ({ rate: 0 }) };
  const compared = await compare([plain, postern], 3, () => undefined);
  expect(isWithinLimit(checkRatio("of the plain one", compared, target, { isQuick: true }))).toBe(false);
});

test("the CPU time is compared with the rival that needs least", () => {
  const figures = (worker: number, postgres: number) => [{ rate: 1, cpu: { worker, postgres } }];
  const comparison: Comparison = {
    baseline: "postern",
    rounds: { postern: figures(0.2, 0.2), slow: figures(0.5, 0.3), lean: figures(0.1, 0.4) },
    ratios: {},
  };
  const check = checkCpu(comparison, "postern", ["slow", "lean"], { goal: 0.9, floor: 1.1, quickFloor: 2 }, false);
  expect(check.what).toBe("CPU time per send, relative to lean, the best of the others");
  expect(check).toMatchObject({ measured: expect.closeTo(0.8), better: "less", goal: 0.9, limit: 1.1 });
});
