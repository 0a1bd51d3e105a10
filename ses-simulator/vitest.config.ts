import { defineConfig } from "vitest/config";

/** Runs only the simulator's tests, without a database. */
export default defineConfig({ test: { testTimeout: 20_000, hookTimeout: 30_000, maxWorkers: 2 } });
