import { path } from '../../kit/integration/call-json.ts';
import { requiredText } from '../../kit/integration/object-input.ts';
import { richText } from '../rich-text.ts';
import { type Act, buildIssuePath, isDeleted, type Jira, objectIn, type Params, READ } from './connection.ts';

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/ */
export const COMMENTS = {
  async getComment({ params, call }) {
    return { comment: objectIn(await call({ path: buildCommentPath(params), ...READ })) };
  },
  async createComment(jira) {
    const answer = await jira.call({
      method: 'POST',
      path: `${buildIssuePath(jira.params)}/comment`,
      body: buildBody(jira),
      effect: 'unsafe',
    });
    return { comment: objectIn(answer) };
  },
  async updateComment(jira) {
    const answer = await jira.call({
      method: 'PUT',
      path: buildCommentPath(jira.params),
      body: buildBody(jira),
      effect: 'idempotent',
    });
    return { comment: objectIn(answer) };
  },
  async deleteComment(jira) {
    return { deleted: await isDeleted(jira, buildCommentPath(jira.params)) };
  },
} satisfies Record<string, Act>;

const buildCommentPath = (params: Params): string =>
  buildIssuePath(params) + path`/comment/${requiredText(params, 'jiraCommentId')}`;

const buildBody = ({ params, hasDocuments }: Jira) => ({
  body: richText(requiredText(params, 'jiraCommentBody'), hasDocuments),
});
