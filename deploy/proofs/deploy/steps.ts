/** One thing that a run did, as `npm run deploy:test` prints it. */
export interface Step {
  what: string;
  seconds: number;
  /** A step with a problem has failed. */
  problem?: string;
}

/** No wait of a run is a promise of speed: a machine that runs other tests needs minutes for what takes seconds. */
export const longestWaitSeconds = 300;

export type RunStep = <Result>(what: string, work: () => Promise<Result>) => Promise<Result>;

/** Prints each step as a line of JSON for the process outside the namespaces. A failed step ends its scenario. */
export const runStep: RunStep = async (what, work) => {
  const started = performance.now();
  const print = (problem?: string) => {
    const step: Step = {
      what,
      seconds: (performance.now() - started) / 1000,
      ...(problem !== undefined && { problem }),
    };
    process.stdout.write(`${JSON.stringify(step)}\n`);
  };
  try {
    const result = await work();
    print();
    return result;
  } catch (error) {
    print(error instanceof Error ? error.message : String(error));
    throw new StepFailed(what, { cause: error });
  }
};

/** A step printed its problem; nothing more is to be said. */
export class StepFailed extends Error {}
