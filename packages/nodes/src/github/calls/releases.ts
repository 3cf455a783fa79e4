import { requiredText } from '../../kit/integration/object-input.ts';
import { refusedParam } from '../../kit/refused-param.ts';
import {
  type Act,
  buildRepositoryPath,
  given,
  numberIn,
  objectIn,
  type Params,
  pick,
  READ,
  requireRepository,
} from './connection.ts';

const SHOWN = { id: 'id', tag_name: 'tag_name', url: 'html_url' };

/** https://docs.github.com/en/rest/releases/releases */
export const RELEASES = {
  async listReleases(github) {
    const releases = await github.list(`${buildRepositoryPath(github.params)}/releases`);
    return { releases, count: releases.length };
  },
  async getRelease({ params, call }) {
    const release = objectIn(await call({ path: buildReleasePath(params), ...READ }));
    return { release, ...pick(release, SHOWN) };
  },
  async createRelease({ params, call }) {
    const tag_name = requiredText(params, 'githubTagName');
    const switches = { draft: params.githubDraft ?? false, prerelease: params.githubPrerelease ?? false };
    const release = objectIn(
      await call({
        method: 'POST',
        path: `${buildRepositoryPath(params)}/releases`,
        body: { ...releaseBody(params), ...switches, tag_name },
        effect: 'unsafe',
      }),
    );
    return { release, ...pick(release, SHOWN) };
  },
  async updateRelease({ params, call }) {
    const body = releaseBody(params);
    if (Object.keys(body).length === 0) {
      throw refusedParam(
        'githubTitle',
        'is empty like every other field; enter a title, a text, a tag or a branch',
      );
    }
    const release = objectIn(
      await call({ method: 'PATCH', path: buildReleasePath(params), body, effect: 'idempotent' }),
    );
    return { release, ...pick(release, SHOWN) };
  },
  async deleteRelease(github) {
    const { params, call } = github;
    const { status } = await call({
      method: 'DELETE',
      path: buildReleasePath(params),
      effect: 'idempotent',
      accepts: [404],
    });
    if (status === 404) await requireRepository(github);
    return { deleted: status !== 404, release_id: numberIn(params, 'githubReleaseId') };
  },
} satisfies Record<string, Act>;

const buildReleasePath = (params: Params): string =>
  `${buildRepositoryPath(params)}/releases/${numberIn(params, 'githubReleaseId')}`;

const releaseBody = (params: Params) =>
  given({
    tag_name: params.githubTagName.trim(),
    name: params.githubTitle.trim(),
    body: params.githubBody,
    target_commitish: params.githubBranch.trim(),
    draft: params.githubDraft,
    prerelease: params.githubPrerelease,
  });
