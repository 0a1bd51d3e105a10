/** The headers of responses, by their name in the document. */
export const responseHeaders = {
  "X-Request-Id": {
    description: "Id of the request: the `X-Request-Id` of the request if it is safe to log, otherwise a new UUID",
    schema: { type: "string" },
    example: "0199a5c2-1f3e-7c4b-9d52-6a1b2c3d4e5f",
  },
  "Retry-After": {
    description: "Seconds to wait before the request may be sent again",
    schema: { type: "integer", minimum: 0 },
    example: 1,
  },
  "WWW-Authenticate": {
    description: "The challenge that HTTP requires with every 401",
    schema: { type: "string" },
    example: 'Bearer realm="Postern"',
  },
  "RateLimit-Policy": {
    description: "The limits of the account for such requests: quota `q` for each window of `w` seconds",
    schema: { type: "string" },
    example: '"second";q=3;w=1, "10-seconds";q=20;w=10, "minute";q=100;w=60',
  },
  RateLimit: {
    description: "What remains of each window after this request, as `r`",
    schema: { type: "string" },
    example: '"second";r=2, "10-seconds";r=19, "minute";r=99',
  },
  "Idempotent-Replayed": {
    description: "Present when the response repeats that of an earlier identical request",
    schema: { type: "string", enum: ["true"] },
  },
} as const;

type HeaderName = keyof typeof responseHeaders;

/** What the account has left is known once the limits were checked: after 401 and before any other error of the payload. */
const afterRateLimit: Record<string, number[]> = {
  send: [202, 400, 409, 413, 415, 422, 429, 503],
  sendBatch: [202, 413, 415, 422, 429],
  validateSend: [200, 413, 415, 422, 429, 500, 503],
  // Of CONTENT_VIEW=off, which the handler checks.
  getSendContent: [403],
  getAttachment: [403],
};

/** Reads are counted after the credential was checked, and before anything else. */
const beforeReadLimit = [401, 403, 431];

interface DescribedOperation {
  operationId: string;
  isLimitedRead: boolean;
}

/** Refers to the headers that a response of this operation can have. */
export function headersOf(
  { operationId, isLimitedRead }: DescribedOperation,
  status: number,
): Record<string, { $ref: string }> {
  const isCounted =
    afterRateLimit[operationId]?.includes(status) || (isLimitedRead && !beforeReadLimit.includes(status));
  const names: HeaderName[] = [
    "X-Request-Id",
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
    ...(status === 429 || status === 503 ? (["Retry-After"] as const) : []),
    ...(isCounted ? (["RateLimit-Policy", "RateLimit"] as const) : []),
    ...(operationId === "send" && status === 202 ? (["Idempotent-Replayed"] as const) : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
