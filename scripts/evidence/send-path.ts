/** The code that a send passes through, from its request to its outcome. */
export const sendPath = [
  "service/migrations",
  "service/src/accept",
  "service/src/api/v1/sends",
  "service/src/cautious-clock.ts",
  "service/src/db",
  "service/src/delivery",
  "service/src/events",
  "service/src/feedback",
  "service/src/in-doubt",
  "service/src/loops",
  "service/src/processes",
  "service/src/provider",
  "service/src/queue",
  "service/src/sends",
];
