import { parse } from "yaml";

interface Step {
  run?: string;
  uses?: string;
}

interface Job {
  "timeout-minutes"?: number;
  strategy?: { matrix?: Record<string, unknown[]> };
  steps?: Step[];
}

interface Workflow {
  permissions?: Record<string, string>;
  concurrency?: unknown;
  jobs?: Record<string, Job>;
}

/** Every problem of a workflow that this project can find without a forge: rules of ours, and scripts that do not exist. */
export function findWorkflowProblems(
  text: string,
  { scripts, files }: { scripts: string[]; files: string[] },
): string[] {
  const { permissions, concurrency, jobs = {} } = parse(text) as Workflow;
  const steps = Object.values(jobs).flatMap((job) => (job.steps ?? []).map((step) => ({ job, step })));
  return [
    ...(JSON.stringify(permissions) === '{"contents":"read"}' ? [] : ["permissions must be `contents: read`"]),
    ...(concurrency === undefined ? ["concurrency is missing"] : []),
    ...(text.includes("has not run on a forge yet") ? [] : ["the file does not say that it has not run"]),
    ...(steps.length === 0 ? ["there are no steps"] : []),
    ...Object.entries(jobs).flatMap(([name, job]) =>
      job["timeout-minutes"] === undefined ? [`${name} has no timeout`] : [],
    ),
    ...steps.flatMap(({ step }) => unpinned(step)),
    ...steps.flatMap(({ job, step }) => unknownCommands(step, job, scripts, files)),
  ];
}

function unpinned({ uses }: Step): string[] {
  return uses === undefined || /@(v\d+|[0-9a-f]{40})$/.test(uses)
    ? []
    : [`${uses} is not pinned to a major version or commit`];
}

/** `npm run NAME`, where "$SCRIPT" stands for each value of the matrix, and files of the repository such as .ci/run. */
function unknownCommands({ run = "" }: Step, job: Job, scripts: string[], files: string[]): string[] {
  const named = [...run.matchAll(/\bnpm run (?:--?[\w-]+ )*"?(\$SCRIPT|[\w:-]+)"?/g)].flatMap(([, name = ""]) =>
    name === "$SCRIPT" ? (job.strategy?.matrix?.script ?? []).map(String) : [name],
  );
  const called = [...run.matchAll(/(?:^|\s)(\.ci\/[\w-]+|scripts\/[\w/.-]+)/g)].map(([, path = ""]) => path);
  return [
    ...named.filter((name) => !scripts.includes(name)).map((name) => `package.json has no script "${name}"`),
    ...called.filter((path) => !files.includes(path)).map((path) => `${path} does not exist`),
  ];
}
