/** Proofs that no test runs at their small size, so only `npm run prove` runs them. `.ci/run` and the page of evidence name them. */
export const proofsOutsideCi = ["alerts", "console-scale", "patroni", "restore-drill", "small-vm"];
