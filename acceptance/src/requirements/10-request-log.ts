import { decision, type RequirementTable } from "../requirement.ts";

/** Section 10.6: why was a request refused? */
export const requestLogAdditions: RequirementTable = {
  "10.6-01": decision(
    "GET /requests finds a refused request by its id, with route, status, code and field problems, and without its payload",
  ),
  "10.6-02": decision("`status` and `api_key_id` in the query list the requests with this status and of this key only"),
};
