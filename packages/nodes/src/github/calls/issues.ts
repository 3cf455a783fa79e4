import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { JsonRequest } from '../../kit/integration/call-json.ts';
import { readList, requiredText } from '../../kit/integration/object-input.ts';
import { refusedParam } from '../../kit/refused-param.ts';
import {
  type Act,
  buildRepositoryPath,
  type GitHub,
  given,
  numberIn,
  objectIn,
  type Params,
  pick,
  READ,
  wordIn,
} from './connection.ts';

const SHOWN = { number: 'number', title: 'title', state: 'state', url: 'html_url' };

/** https://docs.github.com/en/rest/issues */
export const ISSUES = {
  listIssues: ofRepository,
  getRepositoryIssues: ofRepository,
  async getUserIssues(github) {
    const { params } = github;
    const filter = params.githubMentioned.trim() === '' ? 'assigned' : 'mentioned';
    const issues = await github.list('/issues', { query: { filter, ...issueQuery(params) } });
    return { issues, count: issues.length };
  },
  async getIssue({ params, call }) {
    const issue = objectIn(await call({ path: buildIssuePath(params), ...READ }));
    return { issue, ...pick(issue, SHOWN) };
  },
  async createIssue({ params, call }) {
    const title = requiredText(params, 'githubTitle');
    const body = { title, ...given({ body: params.githubBody }), ...namesIn(params) };
    const issue = objectIn(
      await call({ method: 'POST', path: `${buildRepositoryPath(params)}/issues`, body, effect: 'unsafe' }),
    );
    const { state: _state, ...shown } = SHOWN;
    return { issue, ...pick(issue, shown) };
  },
  async updateIssue({ params, call }) {
    const body = {
      ...given({
        title: params.githubTitle.trim(),
        body: params.githubBody,
        state: wordIn(params, 'githubState', ['open', 'closed']),
        state_reason: wordIn(params, 'githubStateReason', [
          'completed',
          'not_planned',
          'duplicate',
          'reopened',
        ]),
      }),
      ...namesIn(params),
    };
    if (Object.keys(body).length === 0) {
      throw refusedParam(
        'githubTitle',
        'is empty like every other field; enter a title, a text, a state, labels or assignees',
      );
    }
    const issue = objectIn(
      await call({ method: 'PATCH', path: buildIssuePath(params), body, effect: 'idempotent' }),
    );
    return { issue, ...pick(issue, SHOWN) };
  },
  async lockIssue({ params, call }) {
    const reason = wordIn(params, 'githubLockReason', ['off-topic', 'too heated', 'resolved', 'spam']);
    await call({
      method: 'PUT',
      path: `${buildIssuePath(params)}/lock`,
      body: given({ lock_reason: reason }),
      effect: 'idempotent',
    });
    const lock_reason = reason === '' ? null : reason;
    return { issue_number: Number(numberIn(params, 'githubIssueNumber')), locked: true, lock_reason };
  },
  async createComment({ params, call }) {
    const body = requiredText(params, 'githubCommentBody');
    const comment = objectIn(
      await call({
        method: 'POST',
        path: `${buildIssuePath(params)}/comments`,
        body: { body },
        effect: 'unsafe',
      }),
    );
    return { comment, ...pick(comment, { id: 'id', url: 'html_url' }) };
  },
} satisfies Record<string, Act>;

const buildIssuePath = (params: Params): string =>
  `${buildRepositoryPath(params)}/issues/${numberIn(params, 'githubIssueNumber')}`;

/** GitHub lists pull requests among issues; they have operations of their own. */
const isIssue = (item: Json): boolean => isJsonObject(item) && !isJsonObject(item['pull_request']);

async function ofRepository(github: GitHub) {
  const { params } = github;
  const issues = await github.list(`${buildRepositoryPath(params)}/issues`, {
    query: {
      ...issueQuery(params),
      assignee: params.githubAssignee.trim(),
      creator: params.githubCreator.trim(),
      mentioned: params.githubMentioned.trim(),
    },
    keeps: isIssue,
  });
  return { issues, count: issues.length };
}

const issueQuery = (params: Params): JsonRequest['query'] => ({
  state: wordIn(params, 'githubState', ['open', 'closed', 'all']) || 'open',
  labels: params.githubLabelsFilter.trim(),
  since: params.githubSince.trim(),
  sort: wordIn(params, 'githubSort', ['created', 'updated', 'comments']),
  direction: wordIn(params, 'githubDirection', ['asc', 'desc']),
});

/** Labels and assignees, each only when the node sets them: an empty list removes all. */
function namesIn(params: Params): JsonObject {
  const names = { labels: 'githubLabels', assignees: 'githubAssignees' } as const;
  return Object.fromEntries(
    Object.entries(names)
      .filter(([, name]) => !isUnset(params[name]))
      .map(([key, name]) => [key, readList(params, name).map(String)]),
  );
}

const isUnset = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
