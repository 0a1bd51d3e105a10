import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../../../errors.ts";
import { isLoopback } from "../../../loopback.ts";
import { invalidRequest } from "../../http/validation-error.ts";
import { cookieValues } from "./cookie-values.ts";

type Headers = FastifyRequest["headers"];

/**
 * The refresh token of a browser: scripts cannot read it, no other path and no other site gets it sent, and every request that sets
 * or uses it comes from a page of PUBLIC_URL.
 */
export interface RefreshCookie {
  /** Throws unless a page of PUBLIC_URL made the request, and the browser can keep the cookie. */
  requireOwnPage(headers: Headers): void;
  isIn(headers: Headers): boolean;
  /** All values, of which another site may have set some. */
  values(headers: Headers): string[];
  /** Throws without the cookie. Of two with this name another site may have set one, so they are refused. */
  read(headers: Headers): string;
  set(reply: FastifyReply, refreshToken: string, maxAgeSeconds: number): void;
  clear(reply: FastifyReply): void;
}

const path = "/api/v1/auth";

export function createRefreshCookie(publicUrl: string): RefreshCookie {
  const { origin, protocol, hostname } = new URL(publicUrl);
  const isSecure = protocol === "https:";
  // Browsers refuse Secure cookies, and so this prefix, over http. On loopback the cookie never leaves the machine.
  const name = isSecure ? "__Secure-postern_refresh" : "postern_refresh";
  const isUsable = isSecure || isLoopback(hostname);
  const attributes = `Path=${path}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  const valuesIn = (headers: Headers) => cookieValues(headers, name);

  return {
    requireOwnPage(headers) {
      if (!isUsable) {
        const message = "needs an https address in PUBLIC_URL, because browsers keep the cookie for https only";
        throw invalidRequest([{ field: "browser", code: "invalid", message }]);
      }
      if (headers.origin !== origin) {
        throw new AppError(
          "UNAUTHORIZED",
          `Browser sessions are for pages of ${origin}. Open that address and log in there.`,
        );
      }
    },
    isIn: (headers) => valuesIn(headers).length > 0,
    values: valuesIn,
    read(headers) {
      const [value, ...others] = valuesIn(headers);
      if (value === undefined || value === "") {
        throw new AppError("UNAUTHORIZED", `The request has no cookie ${name}. Log in again.`);
      }
      if (others.length > 0) {
        throw new AppError(
          "UNAUTHORIZED",
          `The request has the cookie ${name} more than once. Delete the cookies of this site and log in again.`,
        );
      }
      return value;
    },
    set: (reply, refreshToken, maxAgeSeconds) =>
      void reply.header("set-cookie", `${name}=${refreshToken}; Max-Age=${maxAgeSeconds}; ${attributes}`),
    clear: (reply) => void reply.header("set-cookie", `${name}=; Max-Age=0; ${attributes}`),
  };
}
