/** The statuses that the SES v2 model declares, including the 500 of ConcurrentModificationException. */
const statuses = {
  AccessDeniedException: 403,
  AccountSuspendedException: 400,
  AlreadyExistsException: 400,
  BadRequestException: 400,
  ConcurrentModificationException: 500,
  ConflictException: 409,
  ExpiredTokenException: 403,
  InternalServiceErrorException: 500,
  InvalidNextTokenException: 400,
  InvalidSignatureException: 403,
  LimitExceededException: 400,
  MailFromDomainNotVerifiedException: 400,
  MessageRejected: 400,
  MissingAuthenticationTokenException: 403,
  NotFoundException: 404,
  RequestExpired: 403,
  SendingPausedException: 400,
  ThrottlingException: 400,
  TooManyRequestsException: 429,
  UnknownOperationException: 404,
  UnrecognizedClientException: 403,
} as const;

export type SesErrorName = keyof typeof statuses;

export class SesError extends Error {
  override readonly name: SesErrorName;
  readonly status: number;

  constructor(name: SesErrorName, message: string) {
    super(message);
    this.name = name;
    this.status = statuses[name];
  }
}

export function isSesErrorName(name: string): name is SesErrorName {
  return Object.hasOwn(statuses, name);
}

export function badRequest(message: string): SesError {
  return new SesError("BadRequestException", message);
}

export function notFound(message: string): SesError {
  return new SesError("NotFoundException", message);
}
