import { defineConfig } from "tsdown";

export default defineConfig({
  entry: "src/postern.ts",
  format: ["esm", "cjs"],
  // The oldest supported Node. Bun, Deno and workers support all of its syntax.
  target: "node20",
  platform: "neutral",
  dts: { oxc: true },
  // The declarations have the comments for users; in the code they would be a fifth of its size.
  outputOptions: { comments: { jsdoc: false } },
  minify: false,
  sourcemap: false,
});
