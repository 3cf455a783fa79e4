import { type Json, type JsonObject, readText } from '@millrace/engine';
import { isTemplate, prefixed } from '../../expression/field.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { whatsApp } from './chats.ts';
import { at, inPath, inside, listIn, needed, pageSize, restService, setIn } from './request.ts';

/** The node calls any address of the Graph API. */
const facebook = restService({
  name: 'the Graph API',
  signIn: { credential: 'facebook' },
  usual: { resource: '', operation: '' },
  operations: {
    '.': {
      ignores: ['allowUnauthorizedCerts'],
      request: (to) => {
        const { params } = to;
        if (params.flag('sendBinaryData')) throw new NotConvertible('it sends a file of an item');
        const version = params.text('graphApiVersion');
        const host = params.text('hostUrl', 'graph.facebook.com');
        if (!/^graph(-video)?\.facebook\.com$/.test(host)) throw new NotConvertible(`it calls "${host}"`);
        const parts = [version, needed(to, 'node'), params.text('edge')];
        const method = params.text('httpRequestMethod', 'GET');
        if (method !== 'GET' && method !== 'POST' && method !== 'DELETE')
          throw new NotConvertible(`its method is "${method}"`);
        const rows = params.rows('options.queryParameters.parameter');
        const fields = params.rows('options.fields.field').map(({ name }) => readText(name));
        return {
          method,
          url: `${parts.some(isTemplate) ? '=' : ''}https://${[host, ...parts.flatMap(steps)].join('/')}`,
          query: [
            ...rows.map((row): [string, Json] => [readText(row['name']), row['value'] ?? '']),
            ...(fields.length === 0 ? [] : ([['fields', fields.join(',')]] as const)),
          ],
        };
      },
    },
  },
});

/** People write several steps of a path into one field. */
const steps = (text: string): string[] =>
  (isTemplate(text) ? [text] : text.split('/')).filter((part) => part !== '').map(inPath);

/** https://learn.microsoft.com/linkedin/marketing/community-management/shares/posts-api */
const linkedIn = restService({
  name: 'LinkedIn',
  signIn: { credential: 'linkedin' },
  usual: { resource: 'post', operation: 'create' },
  headers: { 'LinkedIn-Version': '202504', 'X-Restli-Protocol-Version': '2.0.0' },
  operations: {
    'post.create': {
      view: { made: { urn: (item) => `${item}.headers["x-restli-id"]` } },
      ignores: ['additionalFields'],
      request: (to) => {
        const { params } = to;
        const isPerson = params.text('postAs', 'person') === 'person';
        const [kind, id] = isPerson
          ? ['person', needed(to, 'person')]
          : ['organization', needed(to, 'organization')];
        const media = params.text('shareMediaCategory', 'NONE');
        if (media === 'IMAGE') throw new NotConvertible('it posts an image that is a file of an item');
        const extra = (key: string, name: string): JsonObject => {
          const text = params.text(`additionalFields.${key}`);
          return text === '' ? {} : { [name]: text };
        };
        const article = {
          ...extra('title', 'title'),
          ...extra('description', 'description'),
          ...extra('originalUrl', 'source'),
        };
        return {
          method: 'POST',
          url: 'https://api.linkedin.com/rest/posts',
          json: {
            author: prefixed(`urn:li:${kind}:`, id),
            lifecycleState: 'PUBLISHED',
            distribution: {
              feedDistribution: 'MAIN_FEED',
              targetEntities: [],
              thirdPartyDistributionChannels: [],
            },
            visibility: params.text('additionalFields.visibility', 'PUBLIC'),
            commentary: params.text('text'),
            ...(media === 'ARTICLE' ? { content: { article } } : {}),
          },
        };
      },
    },
  },
});

const TWITTER = 'https://api.x.com/2';
const twitter = restService({
  name: 'X',
  signIn: { credential: 'x' },
  usual: { resource: 'tweet', operation: 'create', operations: { user: 'searchUser' } },
  operations: {
    'tweet.create': {
      view: inside('.data'),
      ignores: ['additionalFields.location'],
      request: (to) => {
        const reply =
          to.params.text('additionalFields.inReplyToStatusId.value') ||
          to.params.text('additionalFields.inReplyToStatusId');
        const medium = to.params.text('additionalFields.attachments');
        return {
          method: 'POST',
          url: `${TWITTER}/tweets`,
          json: {
            text: to.params.text('text'),
            ...(reply === '' ? {} : { reply: { in_reply_to_tweet_id: reply } }),
            ...(medium === '' ? {} : { media: { media_ids: [medium] } }),
          },
        };
      },
    },
    'tweet.delete': {
      view: inside('.data'),
      request: (to) => ({
        method: 'DELETE',
        url: at`https://api.x.com/2/tweets/${needed(to, 'tweetDeleteId')}`,
      }),
    },
    'tweet.search': {
      view: listIn('.data'),
      ignores: ['tweetFieldsObject'],
      request: (to) => ({
        method: 'GET',
        url: `${TWITTER}/tweets/search/recent`,
        query: [
          ['query', needed(to, 'searchText')],
          ['sort_order', to.params.text('sortOrder')],
          ...Object.entries(
            setIn(to.params, 'additionalFields', { startTime: 'start_time', endTime: 'end_time' }),
          ),
          ['max_results', pageSize(to, { usual: 50, most: 100, least: 10 })],
        ],
      }),
    },
    'user.searchUser': {
      view: inside('.data'),
      request: (to) => ({
        method: 'GET',
        url: at`https://api.x.com/2/users/by/username/${needed(to, 'user')}`,
      }),
    },
  },
});

/** https://www.twilio.com/docs/messaging/api/message-resource */
const twilio = restService({
  name: 'Twilio',
  signIn: { credential: 'twilio', header: '$credentials.twilio' },
  usual: { resource: 'sms', operation: 'send' },
  operations: {
    'sms.send': {
      ignores: ['options'],
      request: (to) => {
        to.say('Enter the account in the address, in place of ACCOUNT_SID', 'curl');
        const prefix = to.params.flag('toWhatsapp') ? 'whatsapp:' : '';
        const number = (key: string) => prefixed(prefix, needed(to, key));
        return {
          method: 'POST',
          url: 'https://api.twilio.com/2010-04-01/Accounts/ACCOUNT_SID/Messages.json',
          form: [
            ['From', number('from')],
            ['To', number('to')],
            ['Body', to.params.text('message')],
          ],
        };
      },
    },
  },
});

/** Recipients of a mail, as Microsoft Graph lists them. */
const recipients = (text: string): JsonObject[] =>
  (isTemplate(text) ? [text] : text.split(','))
    .filter((address) => address.trim() !== '')
    .map((address) => ({ emailAddress: { address: address.trim() } }));

/** https://learn.microsoft.com/graph/api/user-sendmail */
const outlook = restService({
  name: 'Microsoft Graph',
  signIn: { credential: 'microsoft' },
  usual: { resource: 'message', operation: 'send' },
  operations: {
    'message.send': {
      ignores: ['additionalFields.saveToSentItems'],
      request: (to) => {
        const { params } = to;
        if (params.get('additionalFields.attachments') !== undefined)
          throw new NotConvertible('it sends a file of an item');
        const type = params.text('additionalFields.bodyContentType', 'html');
        const [cc, bcc] = ['ccRecipients', 'bccRecipients'].map((key) =>
          recipients(params.text(`additionalFields.${key}`)),
        );
        return {
          method: 'POST',
          url: 'https://graph.microsoft.com/v1.0/me/sendMail',
          json: {
            message: {
              subject: params.text('subject'),
              body: {
                contentType: /^text$/i.test(type) ? 'Text' : 'HTML',
                content: params.text('bodyContent'),
              },
              toRecipients: recipients(needed(to, 'toRecipients')),
              ...(cc?.length ? { ccRecipients: cc } : {}),
              ...(bcc?.length ? { bccRecipients: bcc } : {}),
            },
            saveToSentItems: true,
          },
        };
      },
    },
    'message.get': {
      request: (to) => ({
        method: 'GET',
        url: at`https://graph.microsoft.com/v1.0/me/messages/${needed(to, 'messageId')}`,
      }),
      ignores: ['output', 'fields', 'options'],
    },
    'message.delete': {
      request: (to) => ({
        method: 'DELETE',
        url: at`https://graph.microsoft.com/v1.0/me/messages/${needed(to, 'messageId')}`,
      }),
    },
  },
});

const teamsBody = ({ params }: Target): JsonObject => ({
  body: { contentType: params.text('contentType', 'text'), content: params.text('message') },
});
const teams = restService({
  name: 'Microsoft Graph',
  signIn: { credential: 'microsoft' },
  usual: { resource: 'channel', operation: 'create' },
  operations: {
    'channelMessage.create': {
      ignores: ['options', 'messageType'],
      request: (to) => ({
        method: 'POST',
        url: at`https://graph.microsoft.com/v1.0/teams/${needed(to, 'teamId')}/channels/${needed(to, 'channelId')}/messages`,
        json: teamsBody(to),
      }),
    },
    'chatMessage.create': {
      ignores: ['options', 'messageType'],
      request: (to) => ({
        method: 'POST',
        url: at`https://graph.microsoft.com/v1.0/chats/${needed(to, 'chatId')}/messages`,
        json: teamsBody(to),
      }),
    },
  },
});

export const channels: Readonly<Record<string, Kind>> = {
  whatsApp,
  facebookGraphApi: facebook,
  linkedIn,
  twitter,
  twilio,
  microsoftOutlook: outlook,
  microsoftTeams: teams,
};
