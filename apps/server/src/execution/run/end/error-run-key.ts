/** How the idempotency key begins of a run that an error workflow has for the failure of a run, or for the event of a trigger. */
export const ERROR_RUN_KEY = 'error:';
