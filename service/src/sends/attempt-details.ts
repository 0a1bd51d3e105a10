/**
 * The details of an attempt that a failover made unknown. The timeline shows them to the customer; details that may quote the provider
 * stay with the operator. `releaseSweptSends` finds with the first one the sends that were not being submitted.
 */
export const failoverWhileQueued = "a database failover may have lost the record of a submission of this send";
export const failoverWhileSubmitting = "a database failover happened during this attempt, or while it was in doubt";
