import { defineConfig } from "vitest/config";

/** The simulator alone: it needs no database, so its tests start at once. */
export default defineConfig({ test: { testTimeout: 20_000, hookTimeout: 30_000, maxWorkers: 2 } });
