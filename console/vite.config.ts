import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { preloadFirstScreen } from "./scripts/preload-first-screen.ts";

/** The API serves the result. `npm run dev -w console` serves the sources and forwards API calls to a running `postern dev`. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), preloadFirstScreen()],
  build: {
    // The Content-Security-Policy permits no data: fonts or scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2024",
  },
  server: { proxy: { "/api": { target: process.env.POSTERN_URL ?? "http://127.0.0.1:3000", changeOrigin: true } } },
});
