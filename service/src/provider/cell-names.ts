/** The provider's things of one installation carry its cell code, so that two installations share an AWS account. */
export function configurationSetNameOf(cellCode: string): string {
  return `postern-${cellCode}`;
}

export function topicNameOf(cellCode: string): string {
  return `postern-${cellCode}`;
}

export function queueNameOf(cellCode: string): string {
  return `postern-${cellCode}`;
}

/** Holds what could not be applied after many tries. */
export function deadQueueNameOf(cellCode: string): string {
  return `postern-${cellCode}-dead`;
}
