import { defineConfig } from "tsdown";

export default defineConfig({
  entry: "src/postern.ts",
  format: ["esm", "cjs"],
  // The oldest Node that is supported; Bun, Deno and workers know all of it.
  target: "node20",
  platform: "neutral",
  dts: { oxc: true },
  minify: false,
  sourcemap: false,
});
