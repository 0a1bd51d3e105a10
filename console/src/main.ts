import { session } from "./api/session.ts";

// The session is refreshed while the other scripts start. The router waits for it and reports a failure.
session.token().catch(() => undefined);
// That request leaves when the browser has granted the lock of the tabs, which it does before it answers this question.
// The scripts of the app would keep it from that for a fifth of a second on a slow machine.
await navigator.locks?.query().catch(() => undefined);
await import("./app.tsx");
