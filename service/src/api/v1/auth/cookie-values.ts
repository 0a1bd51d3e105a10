import type { FastifyRequest } from "fastify";

/** All values of cookies with this name: another site on the same domain may have added one. */
export function cookieValues({ cookie = "" }: FastifyRequest["headers"], name: string): string[] {
  return cookie.split(";").flatMap((pair) => {
    const [key = "", ...value] = pair.split("=");
    return key.trim() === name ? [value.join("=").trim()] : [];
  });
}
