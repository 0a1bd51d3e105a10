import { AppError } from "../errors.ts";

const maxWaitMs = 1_000;

/**
 * The result of a query that must precede the accept statement, or 503 when the database does not answer in time. Nothing was
 * stored, so the caller can repeat the request safely. The query itself ends by its own timeout.
 */
export async function answerInTime<Result>(query: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(notAnswering()), maxWaitMs);
  });
  try {
    return await Promise.race([query, late]);
  } finally {
    clearTimeout(timer);
  }
}

function notAnswering(): AppError {
  return new AppError("UNAVAILABLE", "The database does not answer at the moment. Try again shortly.", {
    retryAfterSeconds: 1,
  });
}
