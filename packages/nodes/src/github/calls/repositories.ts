import { isJsonObject } from '@millrace/engine';
import { path } from '../../kit/integration/call-json.ts';
import { requiredText } from '../../kit/integration/object-input.ts';
import { listIn } from '../../kit/integration/paging.ts';
import {
  type Act,
  buildRepositoryPath,
  decodeContent,
  type GitHub,
  objectIn,
  pick,
  READ,
  TITLE,
} from './connection.ts';

/** https://docs.github.com/en/rest/repos */
export const REPOSITORIES = {
  async getRepository({ params, call }) {
    const repository = objectIn(await call({ path: buildRepositoryPath(params), ...READ }));
    return {
      repository,
      ...pick(repository, {
        full_name: 'full_name',
        default_branch: 'default_branch',
        private: 'private',
        url: 'html_url',
      }),
    };
  },
  async getRepositoryLicense({ params, call }) {
    const license = objectIn(await call({ path: `${buildRepositoryPath(params)}/license`, ...READ }));
    const { license: kind = null } = license;
    const named = isJsonObject(kind) ? kind : {};
    return { license, ...pick(named, { name: 'name', spdx_id: 'spdx_id' }), content: decodeContent(license) };
  },
  async getRepositoryProfile({ params, call }) {
    const profile = objectIn(
      await call({ path: `${buildRepositoryPath(params)}/community/profile`, ...READ }),
    );
    return {
      profile,
      ...pick(profile, { health_percentage: 'health_percentage', description: 'description' }),
    };
  },
  async listPopularPaths(github) {
    const paths = await popular(github, 'paths');
    return { paths, count: paths.length };
  },
  async listReferrers(github) {
    const referrers = await popular(github, 'referrers');
    return { referrers, count: referrers.length };
  },
  listOrganizationRepositories: (github) =>
    repositories(github, path`/orgs/${requiredText(github.params, 'githubOwner')}/repos`),
  listUserRepositories: ofUser,
  getUserRepositories: ofUser,
  async inviteUser({ params, call }) {
    const organization = requiredText(params, 'githubOrganization');
    const email = requiredText(params, 'githubInviteEmail');
    const invitation = objectIn(
      await call({
        method: 'POST',
        path: path`/orgs/${organization}/invitations`,
        body: { email },
        effect: 'unsafe',
      }),
    );
    return { invitation, id: invitation['id'] ?? null, email: invitation['email'] ?? email };
  },
} satisfies Record<string, Act>;

/** Ten at most, without pages. https://docs.github.com/en/rest/metrics/traffic */
async function popular({ params, call }: GitHub, what: 'paths' | 'referrers') {
  const { body } = await call({ path: `${buildRepositoryPath(params)}/traffic/popular/${what}`, ...READ });
  return listIn(TITLE, body);
}

function ofUser(github: GitHub) {
  return repositories(github, path`/users/${requiredText(github.params, 'githubOwner')}/repos`);
}

async function repositories(github: GitHub, address: string) {
  const found = await github.list(address);
  return { repositories: found, count: found.length };
}
