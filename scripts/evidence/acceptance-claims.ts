import type { Claim } from "./result.ts";
import { sendPath } from "./send-path.ts";

export const acceptanceClaim: Claim = {
  key: "check/acceptance:local",
  promise: "A deployment meets every requirement of the published interface",
  command: "npm run acceptance:local",
  covers: [
    ...sendPath,
    "acceptance/local",
    "acceptance/src",
    "service/src/accounts",
    "service/src/api",
    "service/src/api-keys",
    "service/src/domains",
    "service/src/errors.ts",
    "service/src/logins",
    "service/src/suppressions",
  ],
};

export const mutationsClaim: Claim = {
  key: "check/acceptance:mutations",
  promise: "The acceptance suite detects each faulty answer, and fails only the requirements that it breaks",
  command: "npm run acceptance:mutations",
  covers: ["acceptance/mutations", "acceptance/mutations/mutations.test.ts", "acceptance/src"],
};
