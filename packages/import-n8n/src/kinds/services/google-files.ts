import { type Json, type JsonObject, readText } from '@millrace/engine';
import { isTemplate, mapScripts, onlyScript } from '../../expression/field.ts';
import { chain } from '../../expression/value.ts';
import { formatScalar } from '../../source/source.ts';
import { fileName, getFileCode } from '../data/file-codes.ts';
import { LOOP, NotConvertible, type Target } from '../kind.ts';
import { extractGoogleId, GOOGLE } from './google-account.ts';
import { fileField } from './http.ts';
import { ADDED, at, listIn, needed, pageSize, restService, type ServiceOperation } from './request.ts';
import { quote, withoutQuotes } from './shell.ts';

const DRIVE = 'https://www.googleapis.com/drive/v3';
const GMAIL = 'https://gmail.googleapis.com/gmail/v1/users/me';

const readLabelIds = ({ params }: Target): Json => {
  const stored = params.get('labelIds');
  return Array.isArray(stored) ? stored : [readText(stored)];
};
const change = (what: string, json: (to: Target) => JsonObject): ServiceOperation => ({
  request: (to) => {
    const id = needed(to, what === 'threads' ? 'threadId' : 'messageId');
    return {
      method: 'POST',
      url: at`https://gmail.googleapis.com/gmail/v1/users/me/${what}/${id}/modify`,
      json: json(to),
    };
  },
});
/** Those that n8n asks for. */
const HEADERS = ['From', 'To', 'Cc', 'Bcc', 'Subject'];
const header = (name: string) => (item: string) =>
  `${item}.payload.headers.filter(${JSON.stringify(`item.name == "${name}"`)})[0].value`;
const messageView = {
  first: '.body',
  made: Object.fromEntries(HEADERS.map((name) => [name, header(name)])),
};

/** Behind the label of a node that reads messages: the list of their ids. */
const FOUND = 'Found';

/** A time that is a date of an expression, in seconds. */
function buildTime(to: Target, path: string, word: string): string[] {
  const stored = to.params.text(path);
  if (stored === '') return [];
  const script = onlyScript(stored);
  if (script === undefined || !to.isDate(stored))
    throw new NotConvertible('it reads the mail of a time that is not a date of an expression');
  return [`=${word}:{{ Math.floor((${script}).toMillis() / 1000) }}`];
}

/** The words of a search of Gmail, from its form. */
function mailQuery(to: Target): string {
  const { params } = to;
  const status = params.text('filters.readStatus', 'both');
  const words = [
    params.text('filters.q'),
    prefixed('from:', params.text('filters.sender')),
    status === 'both' ? '' : prefixed('is:', status),
    ...buildTime(to, 'filters.receivedAfter', 'after'),
    ...buildTime(to, 'filters.receivedBefore', 'before'),
  ].filter((text) => text !== '');
  const isScript = words.some(isTemplate);
  return `${isScript ? '=' : ''}${words.map((text) => (isTemplate(text) ? text.slice(1) : text)).join(' ')}`;
}

const prefixed = (word: string, text: string): string => {
  if (text === '') return '';
  return isTemplate(text) ? `=${word}${text.slice(1)}` : `${word}${text}`;
};

const readLabelFilter = ({ params }: Target): readonly (readonly [string, string])[] => {
  const stored = params.get('filters.labelIds');
  return Array.isArray(stored) ? stored.map((id) => ['labelIds', readText(id)] as const) : [];
};

/** Lists the ids, and then reads each message. */
const listMessages: ServiceOperation = {
  before: {
    suffix: FOUND,
    request: (to) => ({
      method: 'GET',
      url: `${GMAIL}/messages`,
      query: [
        ['q', mailQuery(to)],
        ...readLabelFilter(to),
        ['includeSpamTrash', to.params.flag('filters.includeSpamTrash') ? 'true' : ''],
        ['maxResults', pageSize(to, { usual: 50, most: 500 })],
      ],
    }),
  },
  forEach: '.messages',
  view: messageView,
  ignores: ['filters'],
  request: (to) => {
    if (to.params.get('simple') === false)
      throw new NotConvertible('it reads the text and files of each mail; use the IMAP trigger');
    if (to.params.get('additionalFields') !== undefined)
      throw new NotConvertible('its first version has other settings');
    return {
      method: 'GET',
      url: `${GMAIL}/messages/${ADDED}`,
      added: `${to.stepLabel(LOOP)}.item.id`,
      query: [['format', 'metadata'], ...HEADERS.map((name) => ['metadataHeaders', name] as const)],
    };
  },
};

/** Operations that change the mailbox; mail itself is sent through a mail server here. */
export const gmailOperations: Readonly<Record<string, ServiceOperation>> = {
  ...Object.fromEntries(
    ['message', 'thread'].flatMap((resource) => {
      const what = `${resource}s`;
      return [
        [`${resource}.addLabels`, change(what, (to) => ({ addLabelIds: readLabelIds(to) }))],
        [`${resource}.removeLabels`, change(what, (to) => ({ removeLabelIds: readLabelIds(to) }))],
        [`${resource}.markAsRead`, change(what, () => ({ removeLabelIds: ['UNREAD'] }))],
        [`${resource}.markAsUnread`, change(what, () => ({ addLabelIds: ['UNREAD'] }))],
      ];
    }),
  ),
  'message.delete': {
    request: (to) => ({
      method: 'DELETE',
      url: at`https://gmail.googleapis.com/gmail/v1/users/me/messages/${needed(to, 'messageId')}`,
    }),
  },
  'message.getAll': listMessages,
  'message.get': {
    view: { ...messageView, made: { ...messageView.made, Date: header('Date') } },
    request: (to) => {
      if (to.params.get('simple') === false)
        throw new NotConvertible('it reads the text and files of a mail; use the IMAP trigger');
      const url = at`https://gmail.googleapis.com/gmail/v1/users/me/messages/${needed(to, 'messageId')}`;
      return { method: 'GET', url, query: [['format', 'metadata']] };
    },
  },
  'label.getAll': {
    request: () => ({ method: 'GET', url: `${GMAIL}/labels` }),
    view: listIn('.labels'),
    ignores: ['returnAll', 'limit'],
  },
  'label.create': {
    request: (to) => ({ method: 'POST', url: `${GMAIL}/labels`, json: { name: needed(to, 'name') } }),
    ignores: ['options'],
  },
};

/** The drive of the account, in forms that choose a drive. */
const MY_DRIVE = 'My Drive';

/** A value inside of `'…'`, as text of a template. */
const inQuotes = (text: string): string =>
  isTemplate(text)
    ? mapScripts(
        text.slice(1).trim(),
        (script) => String.raw`String(${script}).replaceAll("\\", "\\\\").replaceAll("'", "\\'")`,
      )
    : text.replaceAll(/['\\]/g, String.raw`\$&`);

/** The words of a search of Google Drive, from its form. */
function searchQuery(to: Target): string {
  const { params } = to;
  const text = params.text('queryString');
  if (params.text('searchMethod', 'name') === 'query') return text;
  const parts: string[] = [];
  if (text !== '') parts.push(`name contains '${inQuotes(text)}'`);
  const folder = params.text('filter.folderId');
  if (folder !== '' && folder !== 'root') parts.push(`'${inQuotes(folder)}' in parents`);
  const drive = params.text('filter.driveId', MY_DRIVE);
  if (drive !== MY_DRIVE) to.say(`It searches every drive here, and not only "${drive}"`, 'curl');
  const what = params.text('filter.whatToSearch', 'all');
  const FOLDER = "'application/vnd.google-apps.folder'";
  if (what === 'folders') parts.push(`mimeType = ${FOLDER}`);
  if (what === 'files') parts.push(`mimeType != ${FOLDER}`);
  const types = params.get('filter.fileTypes');
  const chosen = what === 'folders' || !Array.isArray(types) ? [] : types.map((type) => readText(type));
  if (chosen.length > 0 && !chosen.includes('*'))
    parts.push(`(${chosen.map((type) => `mimeType = '${inQuotes(type)}'`).join(' or ')})`);
  if (!params.flag('filter.includeTrashed')) parts.push('trashed = false');
  return `${isTemplate(text) || isTemplate(folder) ? '=' : ''}${parts.join(' and ')}`;
}

function permission(to: Target): JsonObject {
  const { params } = to;
  const [row = {}] = params.rows('permissionsUi.permissionsValues');
  const stored = params.get('permissionsUi.permissionsValues');
  params.get('permissionsUi');
  const values = Array.isArray(stored) ? row : ((stored ?? {}) as JsonObject);
  const { role, type, emailAddress, domain } = values;
  return Object.fromEntries(
    Object.entries({ role, type, emailAddress, domain }).filter(([, value]) => formatScalar(value) !== ''),
  ) as JsonObject;
}

const file = (to: Target, ...paths: string[]): string => extractGoogleId(needed(to, ...paths));

/** The folder, else the drive; both may be the usual one. */
function parentFolder({ params }: Target): string {
  const [folder, drive] = [params.text('folderId', 'root'), params.text('driveId', MY_DRIVE)];
  if (folder !== 'root') return extractGoogleId(folder);
  return drive === MY_DRIVE ? 'root' : drive;
}

/** A file with what is known of it, in one request: as the documentation of Google has it for curl. */
const upload: ServiceOperation = {
  request: (to) => {
    const { params } = to;
    if (params.get('binaryData') === false) throw new NotConvertible('it makes a file of a text');
    const name = fileName(params.get('inputDataFieldName') ?? params.get('binaryPropertyName'));
    const metadata = to.made(() => {
      const original = getFileCode(to, name, 'name').code;
      const written = params.text('name');
      const fields = [
        `"name": ${written === '' ? original : to.code(written).code}`,
        `"originalFilename": ${original}`,
        `"mimeType": ${getFileCode(to, name, 'type').code}`,
        `"parents": [${to.code(parentFolder(to)).code}]`,
      ];
      return chain(`array({${fields.join(', ')}}).first()`);
    });
    if (metadata === undefined) throw new NotConvertible('its name or its folder cannot be translated');
    const isShort = params.flag('options.simplifyOutput');
    return {
      method: 'POST',
      url: 'https://www.googleapis.com/upload/drive/v3/files',
      query: [
        ['uploadType', 'multipart'],
        ['supportsAllDrives', 'true'],
        ['fields', isShort ? '' : '*'],
      ],
      parts: [
        `-F ${quote(`metadata=${withoutQuotes(metadata)};type=application/json`)}`,
        fileField(to, 'data', { name }),
      ],
    };
  },
};

/** Operations of Google Drive that the node here does not have. */
export const driveOperations: Readonly<Record<string, ServiceOperation>> = {
  'file.upload': upload,
  'fileFolder.search': {
    view: listIn('.files'),
    request: (to) => ({
      method: 'GET',
      url: `${DRIVE}/files`,
      query: [
        ['q', searchQuery(to)],
        ['pageSize', pageSize(to, { usual: 50, most: 1000 })],
        ['fields', 'files(id,name,mimeType,size,createdTime,modifiedTime,webViewLink,parents)'],
        ['supportsAllDrives', 'true'],
        ['includeItemsFromAllDrives', 'true'],
      ],
    }),
    ignores: ['options.fields'],
  },
  'file.share': {
    request: (to) => ({
      method: 'POST',
      url: at`https://www.googleapis.com/drive/v3/files/${file(to, 'fileId')}/permissions`,
      json: permission(to),
    }),
  },
  'folder.share': {
    request: (to) => ({
      method: 'POST',
      url: at`https://www.googleapis.com/drive/v3/files/${file(to, 'folderNoRootId')}/permissions`,
      json: permission(to),
    }),
  },
  'file.copy': {
    request: (to) => {
      const folder = to.params.flag('sameFolder', true) ? '' : to.params.text('folderId');
      const name = to.params.text('name');
      return {
        method: 'POST',
        url: at`https://www.googleapis.com/drive/v3/files/${file(to, 'fileId')}/copy`,
        json: { ...(name === '' ? {} : { name }), ...(folder === '' ? {} : { parents: [folder] }) },
      };
    },
    ignores: ['driveId'],
  },
  'folder.create': {
    request: (to) => {
      const parent = to.params.text('folderId');
      return {
        method: 'POST',
        url: `${DRIVE}/files`,
        json: {
          name: to.params.text('name', 'Untitled'),
          mimeType: 'application/vnd.google-apps.folder',
          ...(parent === '' || parent === 'root' ? {} : { parents: [parent] }),
        },
      };
    },
    ignores: ['driveId'],
  },
};

export const gmailRest = restService({
  name: 'Gmail',
  signIn: GOOGLE,
  usual: {
    resource: 'message',
    operation: 'send',
    operations: { draft: 'create', label: 'create', thread: 'getAll' },
  },
  operations: gmailOperations,
});
export const driveRest = restService({
  name: 'Google Drive',
  signIn: GOOGLE,
  usual: {
    resource: 'file',
    operation: 'upload',
    operations: { drive: 'create', fileFolder: 'search', folder: 'create' },
  },
  operations: driveOperations,
});
