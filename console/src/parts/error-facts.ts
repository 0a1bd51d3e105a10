export type ErrorFacts = {
  message: string;
  code?: string;
  requestId?: string;
  details: { field: string; message: string }[];
};

/** Reads what an error of the API carries, under its names or those of the wire; any other error has a message only. */
export function errorFacts(error: unknown): ErrorFacts {
  if (typeof error === "string") return { message: error, details: [] };
  if (typeof error !== "object" || error === null) return { message: "An unknown error occurred.", details: [] };
  const { message, code, requestId, request_id, details } = error as Record<string, unknown>;
  const id = requestId ?? request_id;
  return {
    message: typeof message === "string" && message !== "" ? message : "An unknown error occurred.",
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof id === "string" ? { requestId: id } : {}),
    details: Array.isArray(details) ? details.filter(isDetail) : [],
  };
}

function isDetail(value: unknown): value is { field: string; message: string } {
  return typeof value === "object" && value !== null && "field" in value && "message" in value;
}
