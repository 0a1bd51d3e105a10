import { defineConfig } from "vitest/config";

const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    include: ["service/**/*.test.ts", "ses-simulator/**/*.test.ts", "scripts/**/*.test.ts"],
    globalSetup: ["service/test/global-setup.ts"],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Two files at a time: the tests share one PostgreSQL, and two cores are what CI has.
    maxWorkers: 2,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]],
  },
});
