import { errorOf, noAnswer, sessionEnded } from "./api-error.ts";
import { session } from "./session.ts";

/** The API ends an export after ten minutes. */
const deadlineMs = 630_000;

/** The file of an export. It fails if the API could not send all of it. */
export async function download(path: string, query: Record<string, string | undefined>): Promise<Blob> {
  const token = await session.token();
  if (token === undefined) throw sessionEnded();
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  let response: Response;
  try {
    response = await fetch(`${path}?${new URLSearchParams(given)}`, {
      headers: { authorization: `Bearer ${token}` },
      credentials: "same-origin",
      cache: "no-store",
      signal: AbortSignal.timeout(deadlineMs),
    });
    if (response.ok) return await response.blob();
  } catch (error) {
    throw noAnswer(error);
  }
  throw await errorOf(response);
}
