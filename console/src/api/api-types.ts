/** Generated from the API document for the SDK; the console uses the same. Types only, so nothing of the SDK is in the build. */
export type * from "../../../sdk/src/api-types.ts";
