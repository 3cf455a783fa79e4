import { path } from '../../kit/integration/call-json.ts';
import { requiredText } from '../../kit/integration/object-input.ts';
import { richText } from '../rich-text.ts';
import { type Act, isDeleted, issueOf, type Jira, objectIn, type Params, READ } from './connection.ts';

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-comments/ */
export const COMMENTS = {
  async getComment({ params, call }) {
    return { comment: objectIn(await call({ path: commentOf(params), ...READ })) };
  },
  async createComment(jira) {
    const answer = await jira.call({
      method: 'POST',
      path: `${issueOf(jira.params)}/comment`,
      body: bodyOf(jira),
      effect: 'unsafe',
    });
    return { comment: objectIn(answer) };
  },
  async updateComment(jira) {
    const answer = await jira.call({
      method: 'PUT',
      path: commentOf(jira.params),
      body: bodyOf(jira),
      effect: 'idempotent',
    });
    return { comment: objectIn(answer) };
  },
  async deleteComment(jira) {
    return { deleted: await isDeleted(jira, commentOf(jira.params)) };
  },
} satisfies Record<string, Act>;

const commentOf = (params: Params): string =>
  issueOf(params) + path`/comment/${requiredText(params, 'jiraCommentId')}`;

const bodyOf = ({ params, hasDocuments }: Jira) => ({
  body: richText(requiredText(params, 'jiraCommentBody'), hasDocuments),
});
