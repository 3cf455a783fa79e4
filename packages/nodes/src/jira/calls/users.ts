import { requiredText } from '../../kit/integration/object-input.ts';
import { type Act, isDeleted, type Jira, namesIn, objectIn, READ } from './connection.ts';

/** https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-users/ */
export const USERS = {
  async getMyself({ call }) {
    return { user: objectIn(await call({ path: '/myself', ...READ })) };
  },
  async getUser(jira) {
    return { user: objectIn(await jira.call({ path: '/user', query: whom(jira), ...READ })) };
  },
  async createUser(jira) {
    const body = jira.isCloud ? cloudUser(jira) : serverUser(jira);
    return { user: objectIn(await jira.call({ method: 'POST', path: '/user', body, effect: 'unsafe' })) };
  },
  async deleteUser(jira) {
    return { deleted: await isDeleted(jira, '/user', whom(jira)) };
  },
} satisfies Record<string, Act>;

/** Accounts of the cloud have ids, users of a server have names. */
function whom({ params, isCloud }: Jira): Readonly<Record<string, string>> {
  return isCloud
    ? { accountId: requiredText(params, 'jiraAccountId') }
    : { username: requiredText(params, 'jiraUsername') };
}

const cloudUser = ({ params }: Jira) => {
  const displayName = params.jiraUserDisplayName.trim();
  return {
    emailAddress: requiredText(params, 'jiraUserEmail'),
    ...(displayName === '' ? {} : { displayName }),
    // Required; an empty list creates a user without access to a product.
    products: namesIn(params, 'jiraUserProducts'),
  };
};

const serverUser = ({ params }: Jira) => {
  const name = requiredText(params, 'jiraUsername');
  const displayName = params.jiraUserDisplayName.trim() || name;
  return { name, emailAddress: requiredText(params, 'jiraUserEmail'), displayName };
};
