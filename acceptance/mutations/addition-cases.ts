import type { Exchange, MutationCase } from "./breaking-proxy.ts";
import { onEvents, onStatus } from "./change-answer.ts";

/** Faults of the additions to the published interface. */
export const additionCases: MutationCase[] = [
  {
    fault: "the content has no headers",
    broken: ["10.1-01"],
    unaffected: ["10.1-09"],
    change: on("/content", ({ body }) => delete body.headers),
  },
  {
    fault: "names of headers are compared in one case of letters only",
    broken: ["10.1-02"],
    unaffected: ["10.1-03"],
    rewriteBody: (body) => body.replace('"x-ses-configuration-set"', '"X-Configuration-Set"'),
  },
  {
    fault: "line breaks in header values are removed silently",
    broken: ["10.1-03"],
    unaffected: ["10.1-02"],
    rewriteBody: (body) => body.replace("1\\r\\nBcc: x@sandbox.test", "1"),
  },
  {
    fault: "the record has no metadata",
    broken: ["10.1-04"],
    unaffected: ["10.1-05", "10.1-10"],
    change: onStatus(({ body }) => delete body.metadata),
  },
  {
    fault: "events have no tags",
    broken: ["10.1-05"],
    unaffected: ["10.1-04"],
    change: onEvents((event) => delete event.tags),
  },
  {
    fault: "the list ignores the tag",
    broken: ["10.1-06"],
    unaffected: ["10.1-04"],
    rewritePath: (path) => path.replace(/&tag=[^&]+/, ""),
  },
  {
    fault: "a tag above 64 characters is cut",
    broken: ["10.1-07"],
    unaffected: ["10.1-04"],
    rewriteBody: (body) => body.replace("x".repeat(65), "x".repeat(64)),
  },
  {
    fault: "metadata above 4,096 bytes is cut",
    broken: ["10.1-08"],
    unaffected: ["10.1-04"],
    rewriteBody: (body) => body.replace("x".repeat(4089), "x".repeat(4088)),
  },
  {
    fault: "the order of keys in metadata counts",
    broken: ["10.1-09"],
    unaffected: ["4.1-09"],
    rewriteBody: (body) => body.replace('"count":2,"sku":"a"', '"count":2,"sku":"a","z":1'),
  },
  {
    fault: "the record has empty tags",
    broken: ["10.1-10"],
    unaffected: ["10.1-04"],
    change: onStatus(({ body }) => {
      body.tags ??= [];
    }),
  },
  {
    fault: "a send counts for its first tag only",
    broken: ["10.1-11"],
    unaffected: ["10.1-06"],
    change: on("/usage", ({ body }) => {
      if (body.data !== undefined)
        body.data.usage = body.data.usage.filter(({ tag }: { tag?: string }) => tag?.endsWith(".two") !== true);
    }),
  },
  {
    fault: "the group of usage is ignored",
    broken: ["10.1-11", "10.1-12"],
    unaffected: ["10.1-06"],
    rewritePath: (path) => path.replace("group=tag", "group=domain"),
  },
  {
    fault: "the 16th header is left out silently",
    broken: ["10.1-13"],
    unaffected: ["10.1-14"],
    rewriteBody: (body) => body.replace(',"X-Header-15":"1"', ""),
  },
  {
    fault: "umlauts in header values are replaced silently",
    broken: ["10.1-14"],
    unaffected: ["10.1-13"],
    rewriteBody: (body) => body.replace("größer", "groesser"),
  },
  {
    fault: "notifications have no metadata",
    broken: ["10.1-15"],
    unaffected: ["10.1-05"],
    change: on("/take", ({ body }) => {
      for (const notification of body.notifications ?? []) {
        const envelope = JSON.parse(notification.body);
        delete envelope.data.send?.metadata;
        notification.body = JSON.stringify(envelope);
      }
    }),
  },
  {
    fault: "the request log has no problems of fields",
    broken: ["10.6-01"],
    unaffected: ["10.6-02"],
    change: on("/requests", ({ body }) => {
      for (const request of body.data?.requests ?? []) request.details = [];
    }),
  },
  {
    fault: "the request log ignores the status",
    broken: ["10.6-02"],
    unaffected: ["10.6-01"],
    rewritePath: (path) => path.replace(/([?&])status=404/, "$1status=4xx"),
  },
];

function on(ending: string, change: (exchange: Exchange) => unknown): (exchange: Exchange) => void {
  return (exchange) => {
    if (exchange.path.split("?")[0]?.endsWith(ending)) change(exchange);
  };
}
