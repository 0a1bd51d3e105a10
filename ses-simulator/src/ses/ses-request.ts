import type { Json } from "./read-json.ts";

/** An SES call. `params` holds the decoded path labels in order. */
export interface SesRequest {
  params: string[];
  query: URLSearchParams;
  body: Json;
  requestId: string;
}
