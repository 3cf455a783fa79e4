import { implement } from '../implement.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { ATTACHMENTS } from './calls/attachments.ts';
import { COMMENTS } from './calls/comments.ts';
import { type Act, type Operation, resolveSite } from './calls/connection.ts';
import { ISSUES } from './calls/issues.ts';
import { LISTS } from './calls/lists.ts';
import { USERS } from './calls/users.ts';
import { jiraChoices } from './choices.ts';
import { jiraCredential } from './credential.ts';
import { jira } from './definition.ts';

const OPERATIONS: Readonly<Record<Operation, Act>> = {
  ...LISTS,
  ...ISSUES,
  ...COMMENTS,
  ...ATTACHMENTS,
  ...USERS,
};

export const runJira = implement(
  jira,
  async (call) => {
    const { params } = call;
    const operation = params.jiraOperation;
    const site = resolveSite(createCaller(call), await readCredential(call, jiraCredential));
    return { output: { success: true, operation, ...(await OPERATIONS[operation]({ ...site, params })) } };
  },
  { choices: jiraChoices },
);
