import type { Json } from "./read-json.ts";

/** A SES call after its path was taken apart: labels of the path in order, decoded. */
export interface SesRequest {
  params: string[];
  query: URLSearchParams;
  body: Json;
  requestId: string;
}
