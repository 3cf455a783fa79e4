import { type Json, type JsonObject, readText } from '@millrace/engine';
import { prefixed } from '../../expression/field.ts';
import { formatScalar } from '../../source/source.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { at, BODY, inside, needed, pageSize, restService, type ServiceOperation, setIn } from './request.ts';

/** Where the address of a site of one's own goes; in n8n the credential has it. */
const SITE = 'https://example.com';
const saySite = (to: Target): void => to.say(`Enter the address of the site in place of ${SITE}`, 'curl');

const POST = {
  slug: 'slug',
  status: 'status',
  format: 'format',
  content: 'content',
  title: 'title',
  excerpt: 'excerpt',
  authorId: 'author',
  commentStatus: 'comment_status',
  pingStatus: 'ping_status',
  categories: 'categories',
  tags: 'tags',
  sticky: 'sticky',
  parent: 'parent',
};

/** https://developer.wordpress.org/rest-api/reference */
const entries = (resource: string): Record<string, ServiceOperation> => {
  const key = `${resource}Id`;
  const one = (to: Target) => at`https://example.com/wp-json/wp/v2/${`${resource}s`}/${needed(to, key)}`;
  const sited =
    (request: ServiceOperation['request']): ServiceOperation['request'] =>
    (to) => {
      saySite(to);
      return request(to);
    };
  return {
    [`${resource}.create`]: {
      ignores: ['additionalFields.postTemplate'],
      request: sited((to) => ({
        method: 'POST',
        url: `${SITE}/wp-json/wp/v2/${resource}s`,
        json: { title: to.params.text('title'), ...setIn(to.params, 'additionalFields', POST) },
      })),
    },
    [`${resource}.update`]: {
      request: sited((to) => ({
        method: 'POST',
        url: one(to),
        json: setIn(to.params, 'updateFields', POST),
      })),
    },
    [`${resource}.get`]: { request: sited((to) => ({ method: 'GET', url: one(to) })), ignores: ['options'] },
    [`${resource}.getAll`]: {
      view: BODY,
      request: sited((to) => {
        const { params } = to;
        const options = setIn(params, 'options', {
          search: 'search',
          after: 'after',
          before: 'before',
          order: 'order',
          orderBy: 'orderby',
          status: 'status',
          categories: 'categories',
          tags: 'tags',
          author: 'author',
        });
        return {
          method: 'GET',
          url: `${SITE}/wp-json/wp/v2/${resource}s`,
          query: [...Object.entries(options), ['per_page', pageSize(to, { usual: 50, most: 100 })]],
        };
      }),
    },
  };
};

const wordpress = restService({
  name: 'WordPress',
  signIn: { credential: 'wordpress', header: '$credentials.wordpress' },
  usual: { resource: 'post', operation: 'create' },
  operations: { ...entries('post'), ...entries('page') },
});

/** https://docs.perplexity.ai/api-reference */
const perplexity = restService({
  name: 'Perplexity',
  signIn: { credential: 'perplexity' },
  usual: { resource: 'chat', operation: 'complete' },
  operations: {
    'chat.complete': {
      view: { first: '.body', made: { message: (item) => `${item}.choices[0].message.content` } },
      request: (to) => {
        const { params } = to;
        const rows = params.rows('messages.message');
        params.get('messages');
        const messages = rows.map((row) => ({
          role: formatScalar(row['role'], 'user'),
          content: readText(row['content']),
        }));
        return {
          method: 'POST',
          url: 'https://api.perplexity.ai/chat/completions',
          json: {
            model: params.text('model', 'sonar'),
            messages,
            ...setIn(params, 'options', {
              frequencyPenalty: 'frequency_penalty',
              maxTokens: 'max_tokens',
              presencePenalty: 'presence_penalty',
              temperature: 'temperature',
              topK: 'top_k',
              topP: 'top_p',
              searchRecency: 'search_recency_filter',
              returnImages: 'return_images',
              returnRelatedQuestions: 'return_related_questions',
            }),
          },
        };
      },
    },
  },
});

/** https://www.reddit.com/dev/api */
const REDDIT = 'https://oauth.reddit.com';
const CHILDREN = '.data.children.map("item.data")';
const found = { first: `.body${CHILDREN}[0]`, list: `.body${CHILDREN}` };
const limitIn = (to: Target): [string, Json] => ['limit', pageSize(to, { usual: 100, most: 100 })];
const reddit = restService({
  name: 'Reddit',
  signIn: { credential: 'reddit' },
  headers: { 'User-Agent': 'workflow' },
  usual: { resource: 'post', operation: 'create' },
  operations: {
    'post.create': {
      view: inside('.json.data'),
      ignores: ['resubmit'],
      request: (to) => {
        const kind = to.params.text('kind', 'self');
        if (kind === 'image') throw new NotConvertible('it posts an image');
        return {
          method: 'POST',
          url: `${REDDIT}/api/submit`,
          form: [
            ['api_type', 'json'],
            ['sr', needed(to, 'subreddit')],
            ['title', needed(to, 'title')],
            ['kind', kind],
            [kind === 'self' ? 'text' : 'url', to.params.text(kind === 'self' ? 'text' : 'url')],
          ],
        };
      },
    },
    'post.getAll': {
      view: found,
      request: (to) => ({
        method: 'GET',
        url: at`https://oauth.reddit.com/r/${needed(to, 'subreddit')}/${to.params.text('filters.category', 'hot')}.json`,
        query: [limitIn(to)],
      }),
    },
    'post.get': {
      view: { first: '.body[0].data.children[0].data' },
      request: (to) => ({
        method: 'GET',
        url: at`https://oauth.reddit.com/r/${needed(to, 'subreddit')}/comments/${needed(to, 'postId')}.json`,
      }),
    },
    'post.search': {
      view: found,
      request: (to) => {
        const isAll = to.params.text('location') === 'allReddit';
        const url = isAll
          ? `${REDDIT}/search.json`
          : at`https://oauth.reddit.com/r/${needed(to, 'subreddit')}/search.json`;
        const sort = to.params.text('additionalFields.sort', 'relevance');
        return {
          method: 'GET',
          url,
          query: [
            ['q', needed(to, 'keyword')],
            ...(isAll ? [] : ([['restrict_sr', 'true']] as const)),
            ['sort', sort],
            limitIn(to),
          ],
        };
      },
    },
    'postComment.create': {
      view: inside('.json.data.things[0].data'),
      request: (to) => ({
        method: 'POST',
        url: `${REDDIT}/api/comment`,
        form: [
          ['api_type', 'json'],
          ['thing_id', prefixed('t3_', needed(to, 'postId'))],
          ['text', to.params.text('commentText')],
        ],
      }),
    },
    'postComment.getAll': {
      view: {
        first: '.body[1].data.children.map("item.data")[0]',
        list: '.body[1].data.children.map("item.data")',
      },
      request: (to) => ({
        method: 'GET',
        url: at`https://oauth.reddit.com/r/${needed(to, 'subreddit')}/comments/${needed(to, 'postId')}.json`,
        query: [limitIn(to)],
      }),
    },
  },
});

/** https://developers.hubspot.com/docs/api-reference */
const HUBSPOT = 'https://api.hubapi.com';
const CONTACT = {
  firstName: 'firstname',
  lastName: 'lastname',
  phoneNumber: 'phone',
  mobilePhoneNumber: 'mobilephone',
  companyName: 'company',
  jobTitle: 'jobtitle',
  websiteUrl: 'website',
  city: 'city',
  country: 'country',
  streetAddress: 'address',
  stateRegion: 'state',
  postalCode: 'zip',
  industry: 'industry',
  leadStatus: 'hs_lead_status',
  lifeCycleStage: 'lifecyclestage',
  salutation: 'salutation',
  message: 'message',
};
function contactFields(to: Target): JsonObject[] {
  const named = setIn(to.params, 'additionalFields', CONTACT);
  const own = to.params.rows('additionalFields.customPropertiesUi.customPropertiesValues');
  return [
    ...Object.entries(named).map(([property, value]) => ({ property, value })),
    ...own.map((row) => ({ property: readText(row['property']), value: row['value'] ?? '' })),
  ];
}
const hubspot = restService({
  name: 'HubSpot',
  signIn: { credential: 'hubspot' },
  usual: { resource: 'contact', operation: 'upsert' },
  operations: {
    'contact.upsert': {
      ignores: ['options'],
      request: (to) => ({
        method: 'POST',
        url: at`https://api.hubapi.com/contacts/v1/contact/createOrUpdate/email/${needed(to, 'email')}`,
        json: { properties: contactFields(to) },
      }),
    },
    'contact.get': {
      ignores: ['additionalFields'],
      request: (to) => ({
        method: 'GET',
        url: at`https://api.hubapi.com/crm/v3/objects/contacts/${needed(to, 'contactId')}`,
      }),
    },
    'contact.delete': {
      request: (to) => ({
        method: 'DELETE',
        url: at`https://api.hubapi.com/crm/v3/objects/contacts/${needed(to, 'contactId')}`,
      }),
    },
    'contact.search': {
      view: { first: '.body.results[0]', list: '.body.results' },
      ignores: ['filterGroupsUi', 'additionalFields.properties'],
      request: (to) => {
        const groups = to.params.rows('filterGroupsUi.filterGroupsValues');
        const filterGroups = groups.map((group) => {
          const ui = group['filtersUi'];
          const rows =
            typeof ui === 'object' && ui !== null && 'filterValues' in ui ? ui['filterValues'] : [];
          const filters = (Array.isArray(rows) ? rows : []).map((row): JsonObject => {
            const filter = (row ?? {}) as JsonObject;
            return {
              propertyName: readText(filter['propertyName']).split('|')[0] ?? '',
              operator: formatScalar(filter['operator'], 'EQ'),
              value: filter['value'] ?? '',
            };
          });
          return { filters };
        });
        return {
          method: 'POST',
          url: `${HUBSPOT}/crm/v3/objects/contacts/search`,
          json: {
            filterGroups,
            ...setIn(to.params, 'additionalFields', { query: 'query' }),
            limit: pageSize(to, { usual: 100, most: 100 }),
          },
        };
      },
    },
  },
});

/** https://docs.jina.ai */
const jinaAi = restService({
  name: 'Jina AI',
  signIn: { credential: 'jina' },
  usual: { resource: 'reader', operation: 'read' },
  headers: { Accept: 'application/json' },
  operations: {
    'reader.read': {
      view: inside('.data'),
      request: (to) => ({ method: 'GET', url: prefixed('https://r.jina.ai/', needed(to, 'url')) }),
    },
    'reader.search': {
      view: { first: '.body.data[0]', list: '.body.data' },
      request: (to) => ({
        method: 'GET',
        url: 'https://s.jina.ai/',
        query: [['q', needed(to, 'searchQuery')]],
      }),
    },
  },
});

/** https://github.com/HackerNews/API and https://hn.algolia.com/api */
const hackerNews = restService({
  name: 'Hacker News',
  signIn: { credential: '', inAddress: true },
  usual: { resource: 'article', operation: 'get' },
  operations: {
    'article.get': {
      request: (to) => ({
        method: 'GET',
        url: at`https://hn.algolia.com/api/v1/items/${needed(to, 'articleId')}`,
      }),
      ignores: ['additionalFields'],
    },
    'user.get': {
      request: (to) => ({
        method: 'GET',
        url: at`https://hn.algolia.com/api/v1/users/${needed(to, 'username')}`,
      }),
    },
    'all.getAll': {
      view: { first: '.body.hits[0]', list: '.body.hits' },
      ignores: ['additionalFields'],
      request: (to) => {
        const tags = to.params.get('additionalFields.tags');
        return {
          method: 'GET',
          url: 'https://hn.algolia.com/api/v1/search',
          query: [
            ['query', to.params.text('additionalFields.keyword')],
            ['tags', Array.isArray(tags) ? tags.map((tag) => readText(tag)).join(',') : ''],
            ['hitsPerPage', pageSize(to, { usual: 100, most: 1000 })],
          ],
        };
      },
    },
  },
});

export const sites: Readonly<Record<string, Kind>> = {
  wordpress,
  perplexity,
  reddit,
  hubspot,
  jinaAi,
  hackerNews,
};
