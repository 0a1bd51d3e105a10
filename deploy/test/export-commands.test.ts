import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { posternServices, readComposeFile } from "./compose-file.ts";
import { readImage, root } from "./container-file.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const [uid = "", gid = ""] = readImage().user.split(":");

/** The container file system is read-only, so a documented command without a folder of its own cannot work. */
test("the documented export with Compose mounts a folder of the image's user where the command writes", () => {
  const [, block = ""] = /\*\*In a container\*\*.*?```sh\n(.*?)```/s.exec(read("docs/data-rights.md")) ?? [];
  const [, owner, group, made] = /install -d -m 0700 -o (\d+) -g (\d+) (\w+)$/m.exec(block) ?? [];
  expect([owner, group]).toEqual([uid, gid]);
  const [, file, from, to, service, target] =
    /^docker compose -f (\S+) run --rm -v "\$PWD\/(\w+):(\S+)" (\S+) admin export-account \S+ --to (\S+)$/m.exec(
      block,
    ) ?? [];
  expect({ file, from, target }).toEqual({ file: "compose.production.yaml", from: made, target: to });
  const services = posternServices(readComposeFile("compose.production.yaml"));
  expect(services.map(([name]) => name)).toContain(service);
});

test("the pod of the export on Kubernetes is as confined as the others and can write where the command does", () => {
  const pod = parse(read("deploy/kubernetes/export-pod.yaml"));
  const [container] = pod.spec.containers;
  expect(pod.metadata).toMatchObject({ namespace: "postern", labels: { "app.kubernetes.io/name": "postern" } });
  expect(pod.spec).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: Number(uid),
      runAsGroup: Number(gid),
      fsGroup: Number(gid),
      seccompProfile: { type: "RuntimeDefault" },
    },
  });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ["ALL"] },
  });
  const [secrets, written] = container.volumeMounts;
  expect(container.env).toEqual([{ name: "DATABASE_URL_FILE", value: `${secrets.mountPath}/DATABASE_URL` }]);
  expect(pod.spec.volumes).toMatchObject([
    { name: secrets.name, secret: { items: [{ key: "DATABASE_URL", path: "DATABASE_URL" }] } },
    { name: written.name, emptyDir: {} },
  ]);
  const guide = read("deploy/kubernetes/README.md");
  expect(guide).toContain(`--to ${written.mountPath}/account`);
  expect(guide).toContain(`tar -cf - -C ${written.mountPath}/account .`);
  expect(guide).toContain(`sed "s#image: ${container.image}\\$#`);
});
