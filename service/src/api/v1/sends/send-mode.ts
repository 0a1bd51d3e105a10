import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { FieldProblem } from "../../../errors.ts";
import { bothModes, type Mode } from "../../../mode.ts";
import type { VisibleSends } from "../../../sends/send-store.ts";
import { type Caller, domainOf } from "../../auth/authenticate.ts";
import { fieldProblems, invalidRequest } from "../../http/validation-error.ts";
import { readingModeParameter, sendingModeParameter } from "../list-wire.ts";

export const sendingModeQuery = z.strictObject({ mode: sendingModeParameter });
export const readingModeQuery = z.strictObject({ mode: readingModeParameter });

/** An API key reads its own mode. A JWT reads the mode in the query, by default both. */
export function modesToRead({ mode, credential }: Caller, requested: Mode | undefined): readonly Mode[] {
  if (credential.kind === "jwt") return requested === undefined ? bothModes : [requested];
  if (requested !== undefined && requested !== mode) throw invalidRequest([contradiction(requested, mode)]);
  return [mode];
}

/** One mode: that of an API key; for a JWT the one in the query, by default live. */
export function requireMode(caller: Caller, requested: Mode | undefined): Mode {
  return modesToRead(caller, requested ?? caller.mode)[0] ?? caller.mode;
}

/** The sends that the caller may look up by id. */
export function sendsToRead(caller: Caller, requested: Mode | undefined): VisibleSends {
  return { modes: modesToRead(caller, requested), domain: domainOf(caller) };
}

/** The mode of a send and every problem of the query. A send with a problem is refused, whatever its mode. */
export interface SendingMode {
  mode: Mode;
  problems: FieldProblem[];
}

/** For routes whose handler validates the request itself. `keyMode` is undefined for a JWT, which sends live mail by default. */
export function sendingModeOf(request: FastifyRequest, keyMode: Mode | undefined): SendingMode {
  const query = sendingModeQuery.safeParse(request.query, { reportInput: true });
  if (!query.success) {
    return { mode: keyMode ?? "live", problems: fieldProblems(sendingModeQuery, query.error.issues) };
  }
  const requested = query.data.mode;
  if (keyMode === undefined) return { mode: requested ?? "live", problems: [] };
  const isContradiction = requested !== undefined && requested !== keyMode;
  return { mode: keyMode, problems: isContradiction ? [contradiction(requested, keyMode)] : [] };
}

function contradiction(requested: Mode, keyMode: Mode): FieldProblem {
  const message = `is ${requested}, but the API key is a ${keyMode} key. Leave mode out, or use a ${requested} key`;
  return { field: "mode", code: "contradiction", message };
}
