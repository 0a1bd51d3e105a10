/**
 * Marks the mails of `postern aws check`, which belong to no send. Callers of the API cannot set it: their tags never become tags of SES.
 */
export const checkTag = "postern_check";
