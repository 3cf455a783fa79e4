import { isJsonObject, type Json, type JsonObject, readText } from '@millrace/engine';
import { formatScalar } from '../../source/source.ts';
import { NotConvertible, type Target } from '../kind.ts';
import { at, BODY, needed, pageSize, restService, SECRET, type ServiceOperation, setIn } from './request.ts';

/** Operations of Telegram that the node here does not have. https://core.telegram.org/bots/api */
const TELEGRAM = `https://api.telegram.org/bot${SECRET}`;
const RESULT = BODY;

const sendMedia = (method: string, field: string): ServiceOperation => ({
  view: RESULT,
  ignores: ['binaryPropertyName', 'replyMarkup'],
  request: (to) => {
    const { params } = to;
    if (params.flag('binaryData')) throw new NotConvertible('it sends a file of an item');
    return {
      method: 'POST',
      url: `${TELEGRAM}/${method}`,
      json: {
        chat_id: needed(to, 'chatId'),
        [field]: needed(to, 'file'),
        ...setIn(params, 'additionalFields', {
          caption: 'caption',
          parse_mode: 'parse_mode',
          disable_notification: 'disable_notification',
          reply_to_message_id: 'reply_to_message_id',
        }),
      },
    };
  },
});

const chatCall = (method: string, ...fields: readonly (readonly [string, string])[]): ServiceOperation => ({
  view: RESULT,
  ignores: ['replyMarkup', 'messageType'],
  request: (to) => ({
    method: 'POST',
    url: `${TELEGRAM}/${method}`,
    json: {
      ...Object.fromEntries(fields.map(([path, field]) => [field, needed(to, path)])),
      ...setIn(to.params, 'additionalFields', {
        parse_mode: 'parse_mode',
        disable_notification: 'disable_notification',
        text: 'text',
        show_alert: 'show_alert',
      }),
    },
  }),
});

const CHAT = ['chatId', 'chat_id'] as const;
const MESSAGE = ['messageId', 'message_id'] as const;

export const telegramOperations: Readonly<Record<string, ServiceOperation>> = {
  'message.sendPhoto': sendMedia('sendPhoto', 'photo'),
  'message.sendVideo': sendMedia('sendVideo', 'video'),
  'message.sendAudio': sendMedia('sendAudio', 'audio'),
  'message.sendDocument': sendMedia('sendDocument', 'document'),
  'message.sendAnimation': sendMedia('sendAnimation', 'animation'),
  'message.sendSticker': sendMedia('sendSticker', 'sticker'),
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
  'file.get': {
    view: RESULT,
    request: (to) => {
      if (to.params.flag('download', true)) throw new NotConvertible('it downloads a file into an item');
      return { method: 'POST', url: `${TELEGRAM}/getFile`, json: { file_id: needed(to, 'fileId') } };
    },
  },
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
