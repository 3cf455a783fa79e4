/** How the idempotency key of a run begins that an error workflow has for the failure of the run behind it. */
export const ERROR_RUN_KEY = 'error:';
