import { defineConfig } from "tsdown";

export default defineConfig({
  entry: "src/postern.ts",
  format: ["esm", "cjs"],
  // The oldest supported Node. Bun, Deno and workers support all of its syntax.
  target: "node20",
  platform: "neutral",
  dts: { oxc: true },
  minify: false,
  sourcemap: false,
});
