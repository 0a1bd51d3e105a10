import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { RepeatedTests } from "./scripts/repeated-tests.ts";

const report = process.env.TEST_REPORT;

export default defineConfig({
  // The examples of the SDK import the package, which need not be built to test them.
  resolve: { alias: { "@postern/sdk": fileURLToPath(new URL("sdk/src/postern.ts", import.meta.url)) } },
  test: {
    include: ["{service,ses-simulator,sdk,acceptance,chaos,deploy,bench,console,scripts}/**/*.test.ts"],
    globalSetup: ["service/test/global-setup.ts", "console/test/global-setup.ts"],
    env: {
      // The simulator wants requests to be signed, by anyone.
      AWS_ACCESS_KEY_ID: "simulator",
      AWS_SECRET_ACCESS_KEY: "simulator",
      // Halves the CPU time that each process of a test takes to start.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(tmpdir(), "postern-compile-cache"),
    },
    // A limit for tests that hang. A busy machine made tests of two seconds take twenty.
    testTimeout: 45_000,
    hookTimeout: 60_000,
    // Files share their modules: loading them again for each of 570 files took a third of the time.
    isolate: false,
    // Two files at a time: the tests share one PostgreSQL, and two cores are what CI has.
    maxWorkers: 2,
    // CI repeats a failed test once and limits how many may need it (scripts/sum-tests.ts).
    retry: Number(process.env.TEST_RETRIES ?? 0),
    reporters:
      report === undefined
        ? ["default"]
        : ["default", ["json", { outputFile: report }], new RepeatedTests(`${report}.repeated`)],
  },
});
