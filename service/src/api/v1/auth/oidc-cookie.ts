import type { FastifyReply, FastifyRequest } from "fastify";
import { flowSeconds } from "../../../oidc/flow.ts";
import { cookieValues } from "./cookie-values.ts";

/** Binds a log-in at the issuer to the browser that started it. */
export interface OidcCookie {
  /** Undefined without the cookie. Of two with this name another site may have set one, so they count as none. */
  read(headers: FastifyRequest["headers"]): string | undefined;
  set(reply: FastifyReply, value: string): void;
  clear(reply: FastifyReply): void;
}

/** Lax: the browser comes back from the page of the issuer, and Strict would keep the cookie from that request. */
export function createOidcCookie(publicUrl: string): OidcCookie {
  // The prefix means that only this very host can set the cookie, over https. On loopback there is no https.
  const isSecure = publicUrl.startsWith("https:");
  const name = isSecure ? "__Host-postern_oidc" : "postern_oidc";
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
  return {
    read(headers) {
      const [value, ...others] = cookieValues(headers, name);
      return others.length > 0 ? undefined : value;
    },
    set: (reply, value) => void reply.header("set-cookie", `${name}=${value}; Max-Age=${flowSeconds}; ${attributes}`),
    clear: (reply) => void reply.header("set-cookie", `${name}=; Max-Age=0; ${attributes}`),
  };
}
