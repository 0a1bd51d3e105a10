/** None of the servers of the URL accepts writes at the moment, as during a failover. */
export class NoPrimaryError extends AggregateError {
  override name = "NoPrimaryError";
}
