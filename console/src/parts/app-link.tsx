import { useRouter } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, MouseEvent } from "react";

/** Opens a path of the console without loading the page again. */
export function useOpen(): (href: string) => void {
  const router = useRouter({ warn: false });
  return (href) => {
    if (router) router.history.push(href);
    else location.assign(href);
  };
}

export type AppLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { href: string };

/** A real link: clicks with a modifier, the middle button and the context menu stay with the browser. */
export function AppLink({ href, onClick, ...rest }: AppLinkProps) {
  const open = useOpen();
  const isElsewhere = rest.target !== undefined || /^[a-z]+:/i.test(href);
  function follow(event: MouseEvent<HTMLAnchorElement>) {
    onClick?.(event);
    if (event.defaultPrevented || isElsewhere || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open(href);
  }
  return <a href={href} onClick={follow} {...rest} />;
}
