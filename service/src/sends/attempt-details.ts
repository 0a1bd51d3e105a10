/** Our own words, which the customer may read too. They tell apart what was only waiting, for `withdrawDoubt`. */
export const whileQueued = "the database server changed, and it may have been handed over in what the change lost";
export const whileInHand = "the database server changed while this attempt was being made or was in doubt";
