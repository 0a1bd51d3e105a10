import { writeJavaScript } from "./javascript.ts";

/** For deploy/Dockerfile: the folder of the code, and the one to write. */
const [source, target] = process.argv.slice(2);
if (source === undefined || target === undefined) throw new Error("Usage: node write-javascript.ts SOURCE TARGET");
writeJavaScript(source, target);
