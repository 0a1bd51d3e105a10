/**
 * - latency: delays each chunk by up to two seconds.
 * - reset, truncation, half-open: break every connection after some chunks. half-open closes only the receiving side.
 * - black-hole: forwards nothing until the fault is healed.
 * - slow: forwards one byte per second.
 */
export const faults = ["latency", "reset", "black-hole", "half-open", "slow", "truncation"] as const;
export type Fault = (typeof faults)[number];

export const directions = ["to-server", "to-client"] as const;
export type Direction = (typeof directions)[number];
