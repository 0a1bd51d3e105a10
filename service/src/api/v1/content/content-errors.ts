import { AppError } from "../../../errors.ts";

export function noSuchSend(): AppError {
  return new AppError("NOT_FOUND", "This account has no send with this id.");
}

export function contentNotKept(): AppError {
  return new AppError(
    "CONTENT_NOT_KEPT",
    "The content of this send is no longer kept, or it was never stored because all recipients were suppressed.",
  );
}

export function noSuchAttachment(): AppError {
  return new AppError(
    "NOT_FOUND",
    "This send has no attachment with this number. `GET /api/v1/send/{id}/content` lists them.",
  );
}

export function contentViewOff(): AppError {
  return new AppError(
    "FORBIDDEN",
    "This installation does not show the content of mails: its operator has set CONTENT_VIEW=off.",
  );
}
