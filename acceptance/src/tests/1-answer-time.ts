import type { Answer } from "../client.ts";
import { unknownId } from "../fields.ts";
import type { TestContext, Tests } from "../suite.ts";
import { testMail } from "../test-mail.ts";

/** Both take one round trip to the API and one to its database. The comparison allows for slow networks and machines. */
const maxMsLongerThanRead = 400;
const maxTries = 3;

export const answerTimeTests: Tests = {
  "1-10": async (check, context) => {
    let msLonger = medianMs(await answersToSharedSends(context)) - (await readMs(context));
    for (let tries = 2; msLonger > maxMsLongerThanRead && tries <= maxTries; tries++) {
      msLonger = medianMs(await answersToNewSends(context)) - (await readMs(context));
    }
    const what = `a 202 takes at most ${maxMsLongerThanRead} ms longer than a read (medians of five)`;
    check.holds(what, msLonger <= maxMsLongerThanRead, `${Math.round(msLonger)} ms longer`);
  },
};

async function answersToSharedSends({ fixtures }: TestContext): Promise<Answer[]> {
  const { delivered, bounced, softBounced, complained, rejected } = fixtures;
  const sends = await Promise.all([delivered(), bounced(), softBounced(), complained(), rejected()]);
  return sends.map(({ answer }) => answer);
}

async function answersToNewSends(context: TestContext): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let number = 0; number < 5; number++) {
    answers.push(await context.admin.send("test", testMail(context, "delivered")));
  }
  return answers;
}

async function readMs({ admin }: TestContext): Promise<number> {
  const answers: Answer[] = [];
  for (let number = 0; number < 5; number++) answers.push(await admin.status("test", unknownId));
  return medianMs(answers);
}

function medianMs(answers: Answer[]): number {
  const times = answers.map(({ tookMs }) => tookMs).toSorted((one, next) => one - next);
  return times[Math.floor(times.length / 2)] ?? Number.POSITIVE_INFINITY;
}
