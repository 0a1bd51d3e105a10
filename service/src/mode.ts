/** Live mail goes out; test mail never does, and everything about it is kept apart. */
export type Mode = "live" | "test";
