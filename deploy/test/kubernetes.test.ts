import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { readConfig, readWorkerConfig } from "../../service/src/config.ts";
import { startOperationsServer } from "../../service/src/processes/operations-server.ts";
import { aSecret } from "../../service/test/test-config.ts";
import { readImage, root } from "./container-file.ts";
import { isKnownSetting, knownCommands } from "./known-names.ts";
import { renderManifests } from "./render-manifests.ts";

interface Container {
  name: string;
  image: string;
  args: string[];
  ports?: { name: string; containerPort: number }[];
  env: { name: string; value: string }[];
  volumeMounts: { name: string; mountPath: string; readOnly: boolean }[];
  envFrom: [{ configMapRef: { name: string } }];
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
}

interface Probe {
  httpGet: { path: string; port: string };
}

interface PodSpec {
  containers: [Container];
  volumes: { name: string; secret: { secretName: string; items: { key: string; path: string }[] } }[];
  [key: string]: unknown;
}

interface Resource {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  // The fields of every kind differ, so each test reads its own.
  // biome-ignore lint/suspicious/noExplicitAny: parsed YAML
  spec: any;
}

/** The longest time that a process takes to stop: 15 s of draining and 25 s for work in progress. */
const longestStopSeconds = 15 + 25;

let resources: Resource[];
beforeAll(() => {
  resources = parseAllDocuments(renderManifests()).map((document) => document.toJS());
}, 300_000);

const ofKind = (kind: string) => resources.filter((resource) => resource.kind === kind);
const named = (kind: string, name: string) => {
  const found = ofKind(kind).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
const podOf = (resource: Resource): PodSpec => resource.spec.template.spec;
const workloads = () => [...ofKind("Deployment"), ...ofKind("Job")];

test("an API, a worker and a migration run the image with existing commands", () => {
  const commands = workloads().map((workload) => podOf(workload).containers[0].args);
  expect(commands.flat().toSorted()).toEqual(["api", "migrate", "worker"]);
  expect(knownCommands()).toEqual(expect.arrayContaining(commands.flat()));
  const { version } = JSON.parse(readFileSync(join(root, "service/package.json"), "utf8"));
  for (const workload of workloads()) {
    expect(podOf(workload).containers[0].image).toBe(`registry.example.com/postern:${version}`);
  }
});

test("every pod is non-root, read-only, without capabilities and without a Kubernetes token", () => {
  const [uid, gid] = readImage().user.split(":").map(Number);
  for (const workload of workloads()) {
    const pod = podOf(workload);
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: uid,
        runAsGroup: gid,
        seccompProfile: { type: "RuntimeDefault" },
      },
    });
    expect(pod.containers).toHaveLength(1);
    expect(pod.containers[0]).toMatchObject({
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
      resources: {
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: expect.any(String) },
      },
    });
    expect(pod).not.toHaveProperty("hostNetwork");
  }
});

test("selectors match the pods of exactly one workload, also those of services, budgets and spreads", () => {
  const matches = (selector: Record<string, string>) =>
    workloads().filter(({ spec }) =>
      Object.entries(selector).every(([label, value]) => spec.template.metadata.labels[label] === value),
    );
  const names = (selector: Record<string, string>) => matches(selector).map(({ metadata }) => metadata.name);
  for (const deployment of ofKind("Deployment")) {
    const own = [deployment.metadata.name];
    expect(names(deployment.spec.selector.matchLabels)).toEqual(own);
    expect(names(deployment.spec.template.spec.topologySpreadConstraints[0].labelSelector.matchLabels)).toEqual(own);
    expect(names(named("PodDisruptionBudget", own[0] ?? "").spec.selector.matchLabels)).toEqual(own);
    expect(deployment.spec.replicas).toBeGreaterThan(named("PodDisruptionBudget", own[0] ?? "").spec.maxUnavailable);
  }
  expect(names(named("Service", "postern-api").spec.selector)).toEqual(["postern-api"]);
  expect(names(named("NetworkPolicy", "postern-api").spec.podSelector.matchLabels)).toEqual(["postern-api"]);
  expect(names(named("NetworkPolicy", "postern").spec.podSelector.matchLabels)).toHaveLength(3);
});

test("each role gets only known settings and only its secrets, and its configuration is valid", () => {
  const [settings = {}] = ofKind("ConfigMap").map(({ data }) => data);
  expect(Object.keys(settings).filter((name) => !isKnownSetting(name))).toEqual([]);
  const given: Record<string, PodSpec> = Object.fromEntries(
    workloads().map((workload) => [podOf(workload).containers[0].args[0], podOf(workload)]),
  );
  expect(filesOf(given.api)).toEqual(["API_KEY_PEPPER", "CONTENT_KEY", "DATABASE_URL", "TOKEN_SIGNING_KEY"]);
  expect(filesOf(given.worker)).toEqual(["CONTENT_KEY", "DATABASE_URL"]);
  expect(filesOf(given.migrate)).toEqual(["DATABASE_URL"]);
  const secrets = {
    DATABASE_URL: "postgres://h/d",
    CONTENT_KEY: aSecret(),
    API_KEY_PEPPER: aSecret(),
    TOKEN_SIGNING_KEY: aSecret(),
  };
  const image = readImage().environment;
  const config = readConfig({ ...image, ...settings, ...secrets });
  expect(config.operations).toEqual({ host: "0.0.0.0", port: 3001 });
  expect(readWorkerConfig({ ...image, ...settings, ...secrets }).http.host).toBe("0.0.0.0");
  const { port: http } = config.http;
  const { port: operations } = config.operations;
  const open = Object.entries(given).map(([role, { containers }]) => [
    role,
    Object.fromEntries((containers[0].ports ?? []).map(({ name, containerPort }) => [name, containerPort])),
  ]);
  expect(Object.fromEntries(open)).toEqual({ api: { http, operations }, worker: { operations }, migrate: {} });
  expect(ofKind("ConfigMap").map(({ metadata }) => metadata.name)).toEqual([
    ...new Set(workloads().map((workload) => podOf(workload).containers[0].envFrom[0].configMapRef.name)),
  ]);
});

/** The secrets of a pod, each mounted where its variable looks for it. */
function filesOf(pod: PodSpec | undefined): string[] {
  const { env = [], volumeMounts = [] } = pod?.containers[0] ?? {};
  const [mount, volume] = [volumeMounts[0], pod?.volumes[0]];
  expect(mount).toMatchObject({ name: volume?.name, readOnly: true });
  const items = volume?.secret.items ?? [];
  expect(volume?.secret.secretName).toBe("postern");
  expect(items.map(({ key }) => key).toSorted()).toEqual(env.map(({ name }) => name.replace(/_FILE$/, "")).toSorted());
  for (const { name, value } of env) expect(value).toBe(`${mount?.mountPath}/${name.replace(/_FILE$/, "")}`);
  return items.map(({ path }) => path).toSorted();
}

describe("probes", () => {
  test("the API has its public paths, and a process may take as long to stop as it can", () => {
    const { paths } = JSON.parse(readFileSync(join(root, "service/openapi.json"), "utf8"));
    const [container] = podOf(named("Deployment", "postern-api")).containers;
    expect(probePaths(container)).toEqual({
      startupProbe: "/healthz",
      readinessProbe: "/readyz",
      livenessProbe: "/healthz",
    });
    for (const path of Object.values(probePaths(container))) expect(Object.keys(paths)).toContain(path);
    for (const deployment of ofKind("Deployment")) {
      expect(podOf(deployment).terminationGracePeriodSeconds).toBeGreaterThan(longestStopSeconds);
      expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
    }
  });

  test("the worker has paths that the operations port serves", async () => {
    const [container] = podOf(named("Deployment", "postern-worker")).containers;
    expect(probePaths(container)).toEqual({ startupProbe: "/live", readinessProbe: "/health", livenessProbe: "/live" });
    const server = await startOperationsServer(
      { host: "127.0.0.1", port: 0 },
      { metrics: async () => "", health: async () => ({ isReady: true }), liveness: async () => ({ isLive: true }) },
    );
    onTestFinished(() => server.close());
    for (const path of Object.values(probePaths(container))) {
      expect((await fetch(server.address + path)).status).toBe(200);
    }
  });
});

function probePaths(container: Container): Record<string, string> {
  const { startupProbe, readinessProbe, livenessProbe } = container;
  const probes = Object.entries({ startupProbe, readinessProbe, livenessProbe }).map(([name, probe]) => {
    expect(container.ports?.map((each) => each.name)).toContain(probe?.httpGet.port);
    return [name, probe?.httpGet.path];
  });
  return Object.fromEntries(probes);
}

test("the network policy opens the public port to the ingress and nothing to the rest, and lets processes reach what they need", () => {
  const [all, api] = [named("NetworkPolicy", "postern").spec, named("NetworkPolicy", "postern-api").spec];
  expect(all.policyTypes).toEqual(["Ingress", "Egress"]);
  for (const { from, ports } of [...all.ingress, ...api.ingress]) {
    expect(from).toHaveLength(1);
    expect(ports).toHaveLength(1);
  }
  expect(api.ingress[0].ports[0].port).toBe("http");
  expect(all.ingress[0].ports[0].port).toBe("operations");
  const reached = all.egress.flatMap(({ ports }: { ports: { port: number }[] }) => ports.map(({ port }) => port));
  expect(new Set(reached)).toEqual(new Set([53, 443, 5432]));
});

test("all resources but the namespace are in the namespace postern, and none holds a secret", () => {
  expect(ofKind("Secret")).toEqual([]);
  for (const { kind, metadata } of resources) {
    expect(metadata.namespace ?? metadata.name).toBe("postern");
    expect(kind === "Namespace" ? metadata.labels : {}).not.toBeUndefined();
  }
});
