import { isJsonObject, type JsonObject } from '@millrace/engine';
import { readJson, requiredText } from '../../kit/integration/object-input.ts';
import { listIn } from '../../kit/integration/paging.ts';
import { refusedParam } from '../../kit/refused-param.ts';
import { richText } from '../rich-text.ts';
import {
  type Act,
  buildIssuePath,
  clearable,
  isDeleted,
  type Jira,
  namesIn,
  objectIn,
  READ,
  TITLE,
} from './connection.ts';

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issues/ */
export const ISSUES = {
  getIssue: shown,
  async createIssue(jira) {
    const { params, call } = jira;
    const fields = {
      project: { key: requiredText(params, 'jiraProjectKey') },
      issuetype: buildIssueType(jira),
      ...changes(jira),
      summary: requiredText(params, 'jiraSummary'),
    };
    const issue = objectIn(
      await call({ method: 'POST', path: '/issue', body: { fields }, effect: 'unsafe' }),
    );
    return { issue, key: issue['key'] ?? null };
  },
  async updateIssue(jira) {
    const fields = changes(jira);
    if (Object.keys(fields).length === 0) {
      throw refusedParam('jiraSummary', 'is empty like every other field; enter what is to change');
    }
    await jira.call({
      method: 'PUT',
      path: buildIssuePath(jira.params),
      body: { fields },
      effect: 'idempotent',
    });
    return shown(jira);
  },
  async deleteIssue(jira) {
    return { deleted: await isDeleted(jira, buildIssuePath(jira.params)) };
  },
  async listTransitions({ params, call }) {
    const { body } = await call({ path: `${buildIssuePath(params)}/transitions`, ...READ });
    const transitions = listIn(TITLE, body, 'transitions');
    return { transitions, count: transitions.length };
  },
  async transitionIssue(jira) {
    const { params, call } = jira;
    const transitionId = requiredText(params, 'jiraTransitionId');
    await call({
      method: 'POST',
      path: `${buildIssuePath(params)}/transitions`,
      body: { transition: { id: transitionId } },
      effect: 'unsafe',
    });
    return { transition: { transitionId }, ...(await shown(jira)) };
  },
  async notifyIssue({ params, call }) {
    const to = readJson(params, 'jiraNotifyTo') ?? { assignee: true };
    if (!isJsonObject(to))
      throw refusedParam('jiraNotifyTo', 'must be a JSON object such as {"assignee": true}');
    const htmlBody = params.jiraNotifyHtmlBody;
    await call({
      method: 'POST',
      path: `${buildIssuePath(params)}/notify`,
      body: {
        subject: requiredText(params, 'jiraNotifySubject'),
        textBody: requiredText(params, 'jiraNotifyTextBody'),
        ...(htmlBody.trim() === '' ? {} : { htmlBody }),
        to,
      },
      effect: 'unsafe',
    });
    return { notified: true };
  },
} satisfies Record<string, Act>;

async function shown({ params, call }: Jira) {
  const issue = objectIn(await call({ path: buildIssuePath(params), ...READ }));
  return { issue, key: issue['key'] ?? null };
}

function buildIssueType({ params }: Jira): JsonObject {
  const id = String(params.jiraIssueTypeId).trim();
  return id === '' ? { name: params.jiraIssueType.trim() || 'Task' } : { id };
}

/** Fields that the node sets; the others stay as they are. */
function changes(jira: Jira): JsonObject {
  const { params, hasDocuments } = jira;
  const description = clearable(params.jiraDescription);
  const assignee = clearable(params.jiraAssigneeAccountId);
  const labels = namesIn(params, 'jiraLabels');
  const summary = params.jiraSummary.trim();
  return {
    ...(summary === '' ? {} : { summary }),
    ...(description === undefined
      ? {}
      : { description: description === null ? null : richText(description, hasDocuments) }),
    ...(assignee === undefined ? {} : { assignee: assignee === null ? null : person(jira, assignee.trim()) }),
    ...(labels.length === 0 ? {} : { labels }),
  };
}

const person = ({ isCloud }: Jira, id: string): JsonObject => (isCloud ? { id } : { name: id });
