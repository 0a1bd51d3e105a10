import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { until } from "../../../service/proofs/until.ts";

interface Notification {
  alert: string;
  status: "firing" | "resolved";
  /** `performance.now()` when Alertmanager delivered it. */
  at: number;
}

interface SentByAlertmanager {
  alerts: { status: "firing" | "resolved"; labels: { alertname: string } }[];
}

export interface NotificationReceiver {
  url: string;
  /** Resolves with the time of the first notification of this kind after `since`. */
  received(alert: string, status: Notification["status"], since: number, withinSeconds: number): Promise<number>;
  /** The names of the alerts that fired since then. */
  firedSince(since: number): string[];
  close(): void;
}

/** Stands for the operator: what arrives here has left Alertmanager. */
export async function receiveNotifications(): Promise<NotificationReceiver> {
  const received: Notification[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const at = performance.now();
      // Alertmanager defines this shape; a missing member fails the proof.
      const { alerts } = JSON.parse(body) as SentByAlertmanager;
      for (const { status, labels } of alerts) received.push({ alert: labels.alertname, status, at });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the receiver has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    async received(alert, status, since, withinSeconds) {
      const find = () => received.find((one) => one.alert === alert && one.status === status && one.at > since);
      await until(`${alert} is ${status}`, withinSeconds, async () => find() !== undefined, 200);
      return find()?.at ?? 0;
    },
    firedSince(since) {
      const fired = received.filter(({ status, at }) => status === "firing" && at > since);
      return [...new Set(fired.map(({ alert }) => alert))];
    },
    close: () => server.close(),
  };
}
