/** `to` comes from the address, so anybody may have written it. It leads only to a path of this console. */
export function ownPath(to: string | null | undefined): string {
  return to !== null && to !== undefined && /^\/(?![/\\])/.test(to) ? to : "/";
}
