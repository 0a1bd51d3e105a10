import type { ViewedContent } from "../../../content-views/content-view-store.ts";
import { escapeHtml } from "../../http/pages/page.ts";

/**
 * The mail as a document. The headers keep it from doing harm, except for the tags of `connectingTag`. Links open a new window: the first
 * `base` with a target counts, and a mail has no way to a tag before its own.
 */
export function contentPage({ html, text }: ViewedContent): string {
  const head = '<!doctype html><meta charset="utf-8"><base target="_blank">';
  return html === undefined ? `${head}${textPage(text ?? "")}` : `${head}${html.replaceAll(connectingTag, "<x-$1")}`;
}

/**
 * Chromium connects to the host of a frame before it asks the policy, which blocks the frame: the connection alone shows the sender that
 * somebody looks. The same is possible for a `link` with preconnect. None of these tags may show anything, so they get names without a
 * meaning. A parser reads a tag name letter by letter after `<` and decodes nothing in it, so no spelling escapes this.
 */
const connectingTag = /<(iframe|frame|fencedframe|portal|object|embed|applet|link)/gi;

function textPage(text: string): string {
  return `<pre style="white-space: pre-wrap; overflow-wrap: anywhere">\n${escapeHtml(text)}</pre>`;
}

/** No cross-origin-opener-policy: with it a browser refuses the sandboxed document in a window of its own. */
export function contentHeaders({ showsImages }: ViewedContent): Record<string, string> {
  return {
    "content-security-policy": [
      "sandbox allow-popups allow-popups-to-escape-sandbox",
      "default-src 'none'",
      "style-src 'unsafe-inline'",
      `img-src data:${showsImages ? " https:" : ""}`,
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
    ].join("; "),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    // A browser looks up the names in links ahead of a click otherwise, which shows their owner that somebody looks.
    "x-dns-prefetch-control": "off",
  };
}
