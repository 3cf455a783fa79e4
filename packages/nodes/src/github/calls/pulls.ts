import { requiredText } from '../../kit/integration/object-input.ts';
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

const REVIEW = { id: 'id', state: 'state', url: 'html_url' };
const SORTS = ['created', 'updated', 'popularity', 'long-running'];
const VERDICTS = ['APPROVE', 'REQUEST_CHANGES', 'COMMENT', 'PENDING'];

/** https://docs.github.com/en/rest/pulls */
export const PULLS = {
  listPullRequests: ofRepository,
  getRepositoryPullRequests: ofRepository,
  async createPullRequest({ params, call }) {
    const body = {
      title: requiredText(params, 'githubTitle'),
      head: requiredText(params, 'githubHead'),
      base: requiredText(params, 'githubBase'),
      draft: params.githubDraft ?? false,
      ...given({ body: params.githubBody }),
    };
    const pull_request = objectIn(
      await call({ method: 'POST', path: `${buildRepositoryPath(params)}/pulls`, body, effect: 'unsafe' }),
    );
    return { pull_request, ...pick(pull_request, { number: 'number', title: 'title', url: 'html_url' }) };
  },
  async listReviews(github) {
    const reviews = await github.list(buildReviewsPath(github.params));
    return { reviews, count: reviews.length };
  },
  async getReview({ params, call }) {
    const review = objectIn(await call({ path: buildReviewPath(params), ...READ }));
    return { review, ...pick(review, REVIEW) };
  },
  async createReview({ params, call }) {
    const event = wordIn(params, 'githubReviewEvent', VERDICTS) || 'APPROVE';
    const text = params.githubReviewBody;
    if (['REQUEST_CHANGES', 'COMMENT'].includes(event) && text.trim() === '') {
      throw refusedParam('githubReviewBody', 'is empty; only an approval needs no text');
    }
    // A review without an event stays pending.
    const body = given({
      event: event === 'PENDING' ? '' : event,
      body: text,
      commit_id: params.githubCommitId.trim(),
    });
    const review = objectIn(
      await call({ method: 'POST', path: buildReviewsPath(params), body, effect: 'unsafe' }),
    );
    return { review, ...pick(review, REVIEW) };
  },
  async updateReview({ params, call }) {
    const body = { body: requiredText(params, 'githubReviewBody') };
    const review = objectIn(
      await call({ method: 'PUT', path: buildReviewPath(params), body, effect: 'idempotent' }),
    );
    return { review, ...pick(review, REVIEW) };
  },
} satisfies Record<string, Act>;

async function ofRepository(github: GitHub) {
  const { params } = github;
  const pull_requests = await github.list(`${buildRepositoryPath(params)}/pulls`, {
    query: {
      state: wordIn(params, 'githubState', ['open', 'closed', 'all']) || 'open',
      sort: wordIn(params, 'githubSort', SORTS),
      direction: wordIn(params, 'githubDirection', ['asc', 'desc']),
    },
  });
  return { pull_requests, count: pull_requests.length };
}

const buildReviewsPath = (params: Params): string =>
  `${buildRepositoryPath(params)}/pulls/${numberIn(params, 'githubPullRequestNumber')}/reviews`;

const buildReviewPath = (params: Params): string =>
  `${buildReviewsPath(params)}/${numberIn(params, 'githubReviewId')}`;
