/**
 * Every AWS resource of an installation carries its cell code, so that several installations can share an AWS account.
 */
export function configurationSetNameOf(cellCode: string): string {
  return `postern-${cellCode}`;
}

/** The SES tenant of an account, at most 64 characters. */
export function tenantNameOf(cellCode: string, accountId: string): string {
  return `postern-${cellCode}-${accountId}`;
}

export function topicNameOf(cellCode: string): string {
  return `postern-${cellCode}`;
}

export function queueNameOf(cellCode: string): string {
  return `postern-${cellCode}`;
}

/** A temporary queue of `postern aws check`. `run` names the run. */
export function checkQueueNameOf(cellCode: string, run: string): string {
  return `postern-${cellCode}-check-${run}`;
}

export function deadLetterQueueNameOf(cellCode: string): string {
  return `postern-${cellCode}-dead`;
}
