/** Our own words, which the customer may read too. They tell apart what was only waiting, for `releaseSweptSends`. */
export const failoverWhileQueued =
  "the database server changed, and it may have been handed over in what the change lost";
export const failoverWhileSubmitting = "the database server changed while this attempt was being made or was in doubt";
