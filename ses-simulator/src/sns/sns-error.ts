const statuses = {
  AuthorizationError: 403,
  InvalidParameter: 400,
  NotFound: 404,
  InvalidAction: 400,
  InvalidClientTokenId: 403,
} as const;

export class SnsError extends Error {
  readonly code: keyof typeof statuses;
  readonly status: number;

  constructor(code: keyof typeof statuses, message: string) {
    super(message);
    this.code = code;
    this.status = statuses[code];
  }
}
