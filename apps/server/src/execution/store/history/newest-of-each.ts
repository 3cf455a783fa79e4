/**
 * The newest runs `r` of each workflow `w`, each by the index. Asking for `workflow_id = ANY (...)` instead would make the
 * planner scan the runs of all users to find those of one.
 */
export const newestOfEach = (
  columns: string,
  limit: number | string,
): string => `workflows w CROSS JOIN LATERAL (
  SELECT r.* FROM runs r WHERE r.workflow_id = w.id${columns} ORDER BY r.id DESC LIMIT ${limit}) r`;
