import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { splitNames } from '../../source/params.ts';
import { formatScalar, type SourceNode } from '../../source/source.ts';
import type { View } from '../../views/views.ts';
import { CONTENT, listAttachments, viewOfFile } from '../data/file-codes.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { googleSheets } from '../tables/sheets.ts';
import { discordBot, telegramRest } from './chats.ts';
import { driveRest, gmailRest } from './google-files.ts';
import { operationKey, type Usual } from './request.ts';

/** An operation of n8n (`resource.operation`) and what it is here, with the parameters of both. */
interface Operation {
  readonly name: string;
  /** Fields here by parameters of n8n; text with references. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly view?: View;
}

interface Service {
  readonly type: string;
  readonly key: string;
  readonly usual: Usual;
  readonly operations: Readonly<Record<string, Operation>>;
  /** Has the other operations, as requests. */
  readonly otherwise?: Kind;
}

/** How the other parameters were chosen in the form. */
const WITHOUT_MEANING = ['authentication', 'select', 'messageType', 'simplify', 'driveId'];

/** An integration whose operations have the same fields under other names. */
function service({ type, key, usual, operations, otherwise }: Service): Kind {
  const found = (resource: Json | undefined, operation: Json | undefined): Operation | undefined => {
    const name = operationKey(usual, resource, operation);
    return Object.hasOwn(operations, name) ? operations[name] : undefined;
  };
  return {
    view: (node, output, context) => {
      const operation = found(node.parameters['resource'], node.parameters['operation']);
      return operation === undefined
        ? (otherwise?.view?.(node, output, context) ?? {})
        : (operation.view ?? {});
    },
    convert: (node, to) => {
      const { params } = to;
      for (const key of WITHOUT_MEANING) params.get(key);
      const [resource, name] = [params.get('resource'), params.get('operation')];
      const operation = found(resource, name);
      if (operation === undefined && otherwise !== undefined) return otherwise.convert(node, to);
      if (operation === undefined) {
        const written = operationKey(usual, resource, name).replace('.', ': ');
        throw new NotConvertible(`the operation "${written}" has no equal here`);
      }
      const texts = Object.entries(operation.texts ?? {}).flatMap(([path, field]) => {
        const text = params.text(path);
        return text === '' ? [] : [[field, to.template(text, field)] as const];
      });
      return {
        type,
        data: { ...(key === '' ? {} : { [key]: operation.name }), ...Object.fromEntries(texts) },
      };
    },
  };
}

const slack = service({
  type: 'slack',
  key: '',
  usual: { resource: 'message', operation: 'post' },
  operations: {
    'message.post': {
      name: '',
      texts: {
        channel: 'channel',
        channelId: 'channel',
        text: 'message',
        'otherOptions.thread_ts': 'threadTs',
        'otherOptions.thread_ts.replyValues.thread_ts': 'threadTs',
      },
      view: { first: '.response' },
    },
  },
});

const telegramNode = service({
  type: 'telegram',
  key: '',
  usual: {
    resource: 'message',
    operation: 'sendMessage',
    operations: { callback: 'answerQuery', chat: 'get', file: 'get' },
  },
  otherwise: telegramRest,
  operations: { 'message.sendMessage': { name: '', texts: { chatId: 'chatId', text: 'message' } } },
});

/** The node here sends plain text, and no buttons. */
const isFormatted = ({ parameters }: SourceNode): boolean => {
  const { resource = 'message', operation = 'sendMessage', replyMarkup = 'none' } = parameters;
  const more = parameters['additionalFields'];
  const mode = isJsonObject(more) ? formatScalar(more['parse_mode']) : '';
  return (
    resource === 'message' &&
    operation === 'sendMessage' &&
    (mode !== '' || formatScalar(replyMarkup) !== 'none')
  );
};

const telegram: Kind = {
  view: (node, output, context) =>
    (isFormatted(node) ? telegramRest : telegramNode).view?.(node, output, context) ?? {},
  convert: (node, to) => {
    if (isFormatted(node)) return telegramRest.convert(node, to);
    to.params.get('replyMarkup');
    return telegramNode.convert(node, to);
  },
};

const isWebhook = ({ parameters }: SourceNode): boolean =>
  parameters['webhookUri'] !== undefined || parameters['authentication'] === 'webhook';

/** Messages through a webhook; what a bot does is a request. */
const discord: Kind = {
  view: (node, output, context) =>
    isWebhook(node) ? { first: '.response' } : (discordBot.view?.(node, output, context) ?? {}),
  convert: (node, to) => {
    const { params } = to;
    params.get('authentication');
    if (!isWebhook(node)) return discordBot.convert(node, to);
    params.get('webhookUri');
    params.get('operation');
    const text = params.text('content') || params.text('text');
    return {
      type: 'discord',
      data: {
        message: to.template(text, 'message'),
        username: to.template(params.text('options.username'), 'username'),
        avatarUrl: to.template(
          params.text('options.avatarUrl') || params.text('options.avatar_url'),
          'avatarUrl',
        ),
      },
    };
  },
};

/** The first parameter of several that holds text. */
const firstText = ({ params }: Target, paths: readonly string[]): string =>
  paths.map((path) => params.text(path)).find((text) => text !== '') ?? '';

/** Files that the nodes before hand on. */
function readAttachments(to: Target): JsonObject {
  const { params } = to;
  const rows = params.rows('options.attachmentsUi.attachmentsBinary').map((row) => readText(row['property']));
  const names = [params.text('options.attachments') || params.text('attachments'), ...rows].flatMap((text) =>
    text.startsWith('=') ? [text] : splitNames(text),
  );
  const list = listAttachments(to, names);
  return list === undefined ? {} : { attachments: list };
}

function mail(to: Target): JsonObject {
  const { params } = to;
  for (const path of ['resource', 'operation', 'emailType', 'emailFormat']) params.get(path);
  const text = (field: string, paths: readonly string[]) => to.template(firstText(to, paths), field);
  const attribution = params.get('options.appendAttribution');
  if (attribution !== false)
    to.say('n8n adds a line about itself to the mail; here it is sent without one', 'emailBody');
  return {
    to: text('to', ['sendTo', 'toEmail', 'toList']),
    cc: text('cc', ['options.ccList', 'options.ccEmail', 'ccEmail']),
    bcc: text('bcc', ['options.bccList', 'options.bccEmail', 'bccEmail']),
    subject: text('subject', ['subject']),
    emailBody: text('emailBody', ['html', 'message', 'text']),
    ...readAttachments(to),
  };
}

const emailSend: Kind = {
  convert: (_, to) => {
    if (to.params.text('operation', 'send') !== 'send') throw new NotConvertible('it waits for an answer');
    if (to.params.text('fromEmail') !== '')
      to.say('The sender is set in the credential here', 'credentialId');
    return { type: 'sendEmail', data: mail(to) };
  },
};

const isSent = ({ parameters }: SourceNode): boolean =>
  formatScalar(parameters['resource'], 'message') === 'message' &&
  formatScalar(parameters['operation'], 'send') === 'send';

const gmail: Kind = {
  hasLoop: (node) => !isSent(node) && gmailRest.hasLoop?.(node) === true,
  view: (node, output, context) => (isSent(node) ? {} : (gmailRest.view?.(node, output, context) ?? {})),
  convert: (node, to) => {
    if (!isSent(node)) return gmailRest.convert(node, to);
    to.say(
      'Mail is sent through an SMTP server here; Google offers smtp.gmail.com with an app password',
      'credentialId',
    );
    return { type: 'sendEmail', data: mail(to) };
  },
};

const redis: Kind = {
  view: ({ parameters }) => {
    const name = readText(parameters['propertyName']);
    return name === '' ? {} : { adds: [name], renamed: { [name]: 'value' } };
  },
  convert: (_, to) => {
    const { params } = to;
    const operation = params.text('operation', 'info');
    const known: Readonly<Record<string, string>> = { get: 'get', set: 'set', delete: 'deleteKey' };
    const redisOperation = Object.hasOwn(known, operation) ? known[operation] : undefined;
    if (redisOperation === undefined)
      throw new NotConvertible(`the operation "${operation}" has no equal here`);
    params.get('propertyName');
    const type = params.text('keyType', 'automatic');
    if (!['automatic', 'string'].includes(type)) throw new NotConvertible(`its value is a ${type}`);
    const redisTtl = params.flag('expire') ? to.value(params.get('ttl') ?? 60, 'redisTtl') : '';
    return {
      type: 'redis',
      data: {
        redisOperation,
        redisKey: to.template(params.text('key'), 'redisKey'),
        ...(operation === 'set'
          ? { redisValue: to.template(params.text('value'), 'redisValue'), redisTtl }
          : {}),
      },
    };
  },
};

const bucket = { bucketName: 's3Bucket' };
const s3 = service({
  type: 's3',
  key: 's3Operation',
  usual: { resource: 'file', operation: 'download' },
  operations: {
    'file.download': { name: 'getObject', texts: { ...bucket, fileKey: 's3Key' } },
    'file.delete': { name: 'deleteObject', texts: { ...bucket, fileKey: 's3Key' } },
    'file.getAll': {
      name: 'listObjects',
      texts: { ...bucket, 'options.folderKey': 's3Prefix' },
      view: { first: '.objects[0]', list: '.objects' },
    },
    'bucket.create': { name: 'createBucket', texts: { name: 's3Bucket' } },
    'bucket.getAll': { name: 'listBuckets', view: { first: '.buckets[0]', list: '.buckets' } },
    'folder.delete': { name: 'deleteFolder', texts: { ...bucket, folderKey: 's3Prefix' } },
  },
});

const googleDrive = service({
  type: 'googleDrive',
  key: 'gdOperation',
  usual: {
    resource: 'file',
    operation: 'upload',
    operations: { drive: 'create', fileFolder: 'search', folder: 'create' },
  },
  otherwise: driveRest,
  operations: {
    'file.download': {
      name: 'downloadFile',
      texts: { fileId: 'gdFileId' },
      view: { made: viewOfFile('data', CONTENT) },
    },
    'file.deleteFile': { name: 'removeFile', texts: { fileId: 'gdFileId' } },
    'file.move': { name: 'updateFile', texts: { fileId: 'gdFileId', folderId: 'gdNewParentId' } },
    'file.update': { name: 'updateFile', texts: { fileId: 'gdFileId', newUpdatedFileName: 'gdNewName' } },
    'folder.deleteFolder': { name: 'removeFolder', texts: { folderNoRootId: 'gdFolderId' } },
  },
});

const FEED_NAMES = {
  pubDate: 'published',
  isoDate: 'published',
  contentSnippet: 'summary',
  guid: 'id',
  creator: 'author',
};
const feed: Kind = {
  view: () => ({ first: '.items[0]', list: '.items', renamed: FEED_NAMES }),
  convert: (_, to) => ({
    type: 'rss',
    data: { feedUrl: to.template(to.params.text('url'), 'feedUrl'), limit: '0' },
  }),
};

const repository = { owner: 'githubOwner', repository: 'githubRepo' };
const issue = { ...repository, issueNumber: 'githubIssueNumber' };
const file = { ...repository, filePath: 'githubFilePath' };
const github = service({
  type: 'github',
  key: 'githubOperation',
  usual: { resource: 'issue', operation: 'create' },
  operations: {
    'issue.create': {
      name: 'createIssue',
      texts: { ...repository, title: 'githubTitle', body: 'githubBody' },
      view: { first: '.issue' },
    },
    'issue.get': { name: 'getIssue', texts: issue, view: { first: '.issue' } },
    'issue.createComment': {
      name: 'createComment',
      texts: { ...issue, body: 'githubCommentBody' },
      view: { first: '.comment' },
    },
    'repository.get': { name: 'getRepository', texts: repository, view: { first: '.repository' } },
    'repository.getIssues': {
      name: 'getRepositoryIssues',
      texts: repository,
      view: { first: '.issues[0]', list: '.issues' },
    },
    'file.get': { name: 'getFile', texts: file },
    'file.delete': { name: 'deleteFile', texts: { ...file, commitMessage: 'githubCommitMessage' } },
  },
});

const jira = service({
  type: 'jira',
  key: 'jiraOperation',
  usual: { resource: 'issue', operation: 'create' },
  operations: {
    'issue.create': {
      name: 'createIssue',
      texts: {
        project: 'jiraProjectKey',
        issueType: 'jiraIssueTypeId',
        summary: 'jiraSummary',
        'additionalFields.description': 'jiraDescription',
      },
      view: { first: '.issue' },
    },
    'issue.get': { name: 'getIssue', texts: { issueKey: 'jiraIssueKey' }, view: { first: '.issue' } },
    'issue.getAll': {
      name: 'searchIssues',
      texts: { 'options.jql': 'jiraJql' },
      view: { first: '.issues[0]', list: '.issues' },
    },
    'issue.delete': { name: 'deleteIssue', texts: { issueKey: 'jiraIssueKey' } },
    'issueComment.add': {
      name: 'createComment',
      texts: { issueKey: 'jiraIssueKey', comment: 'jiraCommentBody' },
      view: { first: '.comment' },
    },
  },
});

const notion = service({
  type: 'notion',
  key: 'notionOperation',
  usual: {
    resource: 'page',
    operation: 'create',
    operations: { block: 'append', database: 'get', databasePage: 'create', user: 'get' },
  },
  operations: {
    'page.search': {
      name: 'search',
      texts: { text: 'notionQuery' },
      view: { first: '.results[0]', list: '.results' },
    },
    'page.archive': { name: 'trashPage', texts: { pageId: 'notionPageId' }, view: { first: '.page' } },
    'databasePage.get': { name: 'getPage', texts: { pageId: 'notionPageId' }, view: { first: '.page' } },
    'database.get': {
      name: 'retrieveDatabase',
      texts: { databaseId: 'notionDatabaseId' },
      view: { first: '.database' },
    },
    'block.getAll': {
      name: 'getBlockChildren',
      texts: { blockId: 'notionBlockId' },
      view: { first: '.results[0]', list: '.results' },
    },
  },
});

export const services: Readonly<Record<string, Kind>> = {
  slack,
  telegram,
  discord,
  emailSend,
  gmail,
  redis,
  awsS3: s3,
  s3,
  googleSheets,
  googleDrive,
  rssFeedRead: feed,
  github,
  jira,
  notion,
};
