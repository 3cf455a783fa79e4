import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { formatScalar } from '../../source/source.ts';
import { DOWNLOAD, fileName, viewOfFile } from '../data/file-codes.ts';
import { NotConvertible, type Target } from '../kind.ts';
import { fileField, textField } from './http.ts';
import {
  ADDED,
  at,
  BODY,
  needed,
  pageSize,
  restService,
  SECRET,
  type ServiceOperation,
  type ServiceRequest,
  setIn,
} from './request.ts';

/** Operations of Telegram that the node here does not have. https://core.telegram.org/bots/api */
const TELEGRAM = `https://api.telegram.org/bot${SECRET}`;
const RESULT = BODY;

/** Buttons below a message and what else a person answers with. */
function sayMarkup(to: Target): void {
  const markup = to.params.text('replyMarkup', 'none');
  if (markup !== 'none') to.say(`Its "${markup}" was left out: add reply_markup to the request`, 'curl');
  for (const key of [
    'inlineKeyboard',
    'replyKeyboard',
    'replyKeyboardOptions',
    'replyKeyboardRemove',
    'forceReply',
  ])
    to.params.get(key);
}

const MEDIA_FIELDS = Object.fromEntries(
  `caption disable_notification duration height message_thread_id parse_mode performer reply_to_message_id thumb title
  width`
    .split(/\s+/)
    .map((name) => [name, name]),
);

const sendMedia = (method: string, field: string): ServiceOperation => ({
  view: RESULT,
  ignores: ['binaryPropertyName', 'file', 'additionalFields.fileName'],
  request: (to) => {
    const { params } = to;
    sayMarkup(to);
    const fields: JsonObject = {
      chat_id: needed(to, 'chatId'),
      ...setIn(params, 'additionalFields', MEDIA_FIELDS),
    };
    const request = { method: 'POST', url: `${TELEGRAM}/${method}` } as const;
    if (!params.flag('binaryData')) return { ...request, json: { ...fields, [field]: needed(to, 'file') } };
    const written = params.text('additionalFields.fileName');
    const name = fileName(params.get('binaryPropertyName'));
    return {
      ...request,
      parts: [
        ...Object.entries(fields).map(([key, value]) => textField(to, key, value)),
        fileField(to, field, written === '' ? { name } : { name, renamed: to.code(written) }),
      ],
    };
  },
});

const chatCall = (method: string, ...fields: readonly (readonly [string, string])[]): ServiceOperation => ({
  view: RESULT,
  ignores: ['messageType', 'additionalFields.appendAttribution'],
  request: (to) => {
    sayMarkup(to);
    return {
      method: 'POST',
      url: `${TELEGRAM}/${method}`,
      json: {
        ...Object.fromEntries(fields.map(([path, field]) => [field, needed(to, path)])),
        ...setIn(to.params, 'additionalFields', CALL_FIELDS),
      },
    };
  },
});

const CALL_FIELDS = Object.fromEntries(
  `cache_time disable_notification disable_web_page_preview message_thread_id parse_mode reply_to_message_id
  show_alert text`
    .split(/\s+/)
    .map((name) => [name, name]),
);

const readFile = (to: Target): ServiceRequest => ({
  method: 'POST',
  url: `${TELEGRAM}/getFile`,
  json: { file_id: needed(to, 'fileId') },
});
/** Behind the label of a node that downloads a file: what tells its path. */
const FOUND = 'Found';

const download: ServiceOperation = {
  before: { suffix: FOUND, request: readFile },
  view: (_, { stepLabel }) => ({
    made: {
      ...viewOfFile('data', DOWNLOAD),
      ok: () => `${stepLabel(FOUND)}.body.ok`,
      result: () => `${stepLabel(FOUND)}.body.result`,
    },
  }),
  request: (to) => {
    for (const path of ['download', 'fileId']) to.params.get(path);
    return {
      method: 'GET',
      url: `https://api.telegram.org/file/bot${SECRET}/${ADDED}`,
      isFile: true,
      added: `${to.stepLabel(FOUND)}.body.result.file_path`,
    };
  },
};

const CHAT = ['chatId', 'chat_id'] as const;
const MESSAGE = ['messageId', 'message_id'] as const;

const telegramOperations: Readonly<Record<string, ServiceOperation>> = {
  'message.sendPhoto': sendMedia('sendPhoto', 'photo'),
  'message.sendVideo': sendMedia('sendVideo', 'video'),
  'message.sendAudio': sendMedia('sendAudio', 'audio'),
  'message.sendDocument': sendMedia('sendDocument', 'document'),
  'message.sendAnimation': sendMedia('sendAnimation', 'animation'),
  'message.sendSticker': sendMedia('sendSticker', 'sticker'),
  // One that is formatted: the node here sends plain text.
  'message.sendMessage': chatCall('sendMessage', CHAT, ['text', 'text']),
  'message.sendChatAction': chatCall('sendChatAction', CHAT, ['action', 'action']),
  'message.editMessageText': chatCall('editMessageText', CHAT, MESSAGE, ['text', 'text']),
  'message.deleteMessage': chatCall('deleteMessage', CHAT, MESSAGE),
  'message.pinChatMessage': chatCall('pinChatMessage', CHAT, MESSAGE),
  'message.unpinChatMessage': chatCall('unpinChatMessage', CHAT, MESSAGE),
  'callback.answerQuery': chatCall('answerCallbackQuery', ['queryId', 'callback_query_id']),
  'chat.get': chatCall('getChat', CHAT),
  'chat.leave': chatCall('leaveChat', CHAT),
  'chat.member': chatCall('getChatMember', CHAT, ['userId', 'user_id']),
  'chat.administrators': chatCall('getChatAdministrators', CHAT),
  'file.get': { view: RESULT, ignores: ['download'], request: readFile },
  'file.download': download,
};

export const telegramRest = restService({
  name: 'Telegram',
  signIn: { credential: 'telegram', inAddress: true },
  usual: {
    resource: 'message',
    operation: 'sendMessage',
    operations: { callback: 'answerQuery', chat: 'get', file: 'get' },
  },
  operations: telegramOperations,
  // A file is downloaded unless the form says otherwise.
  findKey: ({ parameters: { resource, operation = 'get', download } }) =>
    resource === 'file' && operation === 'get' && download !== false ? 'file.download' : undefined,
});

/** https://docs.discord.com/developers/resources/message */
const buildChannelUrl = (to: Target): string => {
  if (to.params.text('sendTo', 'channel') !== 'channel')
    throw new NotConvertible('it writes to a person and not to a channel');
  to.params.get('guildId');
  return at`https://discord.com/api/v10/channels/${needed(to, 'channelId')}/messages`;
};

function readEmbeds(to: Target): JsonObject[] {
  const rows = to.params.rows('embeds.values');
  to.params.get('embeds');
  return rows.map((row) => {
    if (formatScalar(row['inputMethod']) === 'json')
      throw new NotConvertible('its embeds are one expression');
    const text = (key: string, name = key) =>
      readText(row[key]) === '' ? {} : { [name]: readText(row[key]) };
    const part = (key: string, name: string) =>
      readText(row[key]) === '' ? {} : { [key]: { [name]: readText(row[key]) } };
    return {
      ...text('title'),
      ...text('description'),
      ...text('url'),
      ...text('timestamp'),
      ...part('author', 'name'),
      ...part('image', 'url'),
      ...part('thumbnail', 'url'),
    };
  });
}

const discordOperations: Readonly<Record<string, ServiceOperation>> = {
  'message.send': {
    ignores: ['options.flags', 'options.wait'],
    request: (to) => {
      if (to.params.rows('files.values').length > 0) throw new NotConvertible('it sends a file of an item');
      to.params.get('files');
      const embeds = readEmbeds(to);
      const reply = to.params.text('options.message_reference');
      return {
        method: 'POST',
        url: buildChannelUrl(to),
        json: {
          content: to.params.text('content'),
          ...(embeds.length === 0 ? {} : { embeds }),
          ...(reply === '' ? {} : { message_reference: { message_id: reply } }),
        },
      };
    },
  },
  'message.getAll': {
    request: (to) => ({
      method: 'GET',
      url: buildChannelUrl(to),
      query: [['limit', pageSize(to, { usual: 50, most: 100 })]],
    }),
    ignores: ['options.simplify'],
  },
  'message.get': {
    request: (to) => ({
      method: 'GET',
      url: at`https://discord.com/api/v10/channels/${needed(to, 'channelId')}/messages/${needed(to, 'messageId')}`,
    }),
    ignores: ['guildId', 'options'],
  },
  'message.deleteMessage': {
    request: (to) => ({
      method: 'DELETE',
      url: at`https://discord.com/api/v10/channels/${needed(to, 'channelId')}/messages/${needed(to, 'messageId')}`,
    }),
    ignores: ['guildId'],
  },
  'channel.create': {
    request: (to) => ({
      method: 'POST',
      url: at`https://discord.com/api/v10/guilds/${needed(to, 'guildId')}/channels`,
      json: { name: needed(to, 'name'), type: Number(to.params.text('type', '0')) || 0 },
    }),
  },
  'channel.getAll': {
    request: (to) => ({
      method: 'GET',
      url: at`https://discord.com/api/v10/guilds/${needed(to, 'guildId')}/channels`,
    }),
    ignores: ['returnAll', 'limit'],
  },
  'member.getAll': {
    request: (to) => ({
      method: 'GET',
      url: at`https://discord.com/api/v10/guilds/${needed(to, 'guildId')}/members`,
      query: [['limit', pageSize(to, { usual: 50, most: 1000 })]],
    }),
    ignores: ['options'],
  },
};

export const discordBot = restService({
  name: 'Discord',
  signIn: { credential: 'discord', header: 'Authorization: Bot $credentials.discord' },
  usual: { resource: 'channel', operation: 'create', operations: { message: 'send', member: 'getAll' } },
  operations: discordOperations,
});

function whatsAppBody(to: Target): JsonObject {
  const { params } = to;
  const type = params.text('messageType', 'text');
  if (type === 'text') {
    const shown = params.flag('additionalFields.previewUrl');
    return { type, text: { body: params.text('textBody'), preview_url: shown } };
  }
  if (!['audio', 'document', 'image', 'video'].includes(type))
    throw new NotConvertible(`it sends a message of the type "${type}"`);
  const way = params.text('mediaPath', 'useMediaLink');
  if (way === 'useMedian8n') throw new NotConvertible('it sends a file of an item');
  const medium = way === 'useMediaId' ? { id: needed(to, 'mediaId') } : { link: needed(to, 'mediaLink') };
  const caption = params.text('additionalFields.mediaCaption');
  const filename = params.text('additionalFields.mediaFilename');
  return {
    type,
    [type]: { ...medium, ...(caption && { caption }), ...(filename && { filename }) },
  };
}

/** `name|language` with the values of its places. */
function buildTemplate(to: Target): JsonObject {
  const [name = '', language = 'en_US'] = needed(to, 'template').split('|');
  const rows = to.params.rows('components.component');
  to.params.get('components');
  const components = rows.map((row) => {
    const type = formatScalar(row['type'], 'body');
    const group = row[`${type}Parameters`];
    const stored = isJsonObject(group) ? group['parameter'] : [];
    const values: Json[] = Array.isArray(stored) ? stored : stored === undefined ? [] : [stored];
    const parameters = values.filter(isJsonObject).map((value) => {
      const kind = formatScalar(value['type'], 'text');
      if (kind !== 'text') throw new NotConvertible(`its template has a value of the type "${kind}"`);
      return { type: kind, text: readText(value['text']) };
    });
    const button =
      type === 'button'
        ? { sub_type: formatScalar(row['sub_type'], 'quick_reply'), index: formatScalar(row['index'], '0') }
        : {};
    return { type, ...button, parameters };
  });
  return { name, language: { code: language }, components };
}

const whatsAppMessage = (to: Target, content: JsonObject) => ({
  method: 'POST' as const,
  url: at`https://graph.facebook.com/v22.0/${needed(to, 'phoneNumberId')}/messages`,
  json: { messaging_product: 'whatsapp', to: needed(to, 'recipientPhoneNumber'), ...content },
});

/** https://developers.facebook.com/documentation/business-messaging/whatsapp */
export const whatsApp = restService({
  name: 'WhatsApp',
  signIn: { credential: 'whatsapp' },
  usual: { resource: 'message', operation: 'sendTemplate', operations: { media: 'mediaUpload' } },
  operations: {
    'message.send': {
      request: (to) => whatsAppMessage(to, { recipient_type: 'individual', ...whatsAppBody(to) }),
    },
    'message.sendTemplate': {
      request: (to) => whatsAppMessage(to, { type: 'template', template: buildTemplate(to) }),
    },
    'media.mediaUrlGet': {
      request: (to) => ({
        method: 'GET',
        url: at`https://graph.facebook.com/v22.0/${needed(to, 'mediaGetId')}`,
      }),
    },
    'media.mediaDelete': {
      request: (to) => ({
        method: 'DELETE',
        url: at`https://graph.facebook.com/v22.0/${needed(to, 'mediaDeleteId')}`,
      }),
    },
  },
});
