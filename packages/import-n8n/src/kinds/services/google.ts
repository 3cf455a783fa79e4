import { type Json, type JsonObject, readText } from '@millrace/engine';
import { isTemplate } from '../../expression/field.ts';
import { formatScalar } from '../../source/source.ts';
import { type Kind, NotConvertible, type Target } from '../kind.ts';
import { extractGoogleId, GOOGLE } from './google-account.ts';
import {
  at,
  inside,
  listIn,
  needed,
  pageSize,
  restService,
  type ServiceOperation,
  setIn,
} from './request.ts';

const DRIVE = 'https://www.googleapis.com/drive/v3';
const CALENDAR = 'https://www.googleapis.com/calendar/v3';
const YOUTUBE = 'https://www.googleapis.com/youtube/v3';

/** A time of the calendar; a whole day has no time. */
const toCalendarTime = (value: string, isWholeDay: boolean): JsonObject =>
  isWholeDay ? { date: value } : { dateTime: value };

function eventFields(to: Target, path: string): JsonObject {
  const { params } = to;
  const isWholeDay = params.text(`${path}.allday`) === 'yes';
  const named = setIn(params, path, {
    summary: 'summary',
    description: 'description',
    location: 'location',
    visibility: 'visibility',
    id: 'id',
    color: 'colorId',
  });
  const stored = params.get(`${path}.attendees`);
  const addresses = Array.isArray(stored) ? stored.map((item) => readText(item)) : [readText(stored)];
  const attendees = addresses
    .flatMap((text) => (isTemplate(text) ? [text] : text.split(',')))
    .filter((text) => text.trim() !== '')
    .map((email) => ({ email: email.trim() }));
  const [start, end] = [
    params.text('start') || params.text(`${path}.start`),
    params.text('end') || params.text(`${path}.end`),
  ];
  return {
    ...named,
    ...(start === '' ? {} : { start: toCalendarTime(start, isWholeDay) }),
    ...(end === '' ? {} : { end: toCalendarTime(end, isWholeDay) }),
    ...(attendees.length === 0 ? {} : { attendees }),
  };
}

const events = (to: Target): string =>
  at`https://www.googleapis.com/calendar/v3/calendars/${needed(to, 'calendar')}/events`;
const event = (to: Target): string =>
  at`https://www.googleapis.com/calendar/v3/calendars/${needed(to, 'calendar')}/events/${needed(to, 'eventId')}`;

const calendar: Readonly<Record<string, ServiceOperation>> = {
  'event.create': {
    request: (to) => ({ method: 'POST', url: events(to), json: eventFields(to, 'additionalFields') }),
  },
  'event.update': {
    request: (to) => ({ method: 'PATCH', url: event(to), json: eventFields(to, 'updateFields') }),
  },
  'event.get': { request: (to) => ({ method: 'GET', url: event(to) }) },
  'event.delete': { request: (to) => ({ method: 'DELETE', url: event(to) }) },
  'event.getAll': {
    view: listIn('.items'),
    request: (to) => {
      const { params } = to;
      const between = { timeMin: 'timeMin', timeMax: 'timeMax' };
      const options = setIn(params, 'options', {
        ...between,
        query: 'q',
        orderBy: 'orderBy',
        timeZone: 'timeZone',
        updatedMin: 'updatedMin',
      });
      const isSingle =
        params.flag('options.singleEvents') ||
        params.text('options.recurringEventHandling') === 'expand' ||
        options['orderBy'] === 'startTime';
      return {
        method: 'GET',
        url: events(to),
        query: [
          ...Object.entries({ ...setIn(params, '', between), ...options }),
          ...(isSingle ? ([['singleEvents', 'true']] as const) : []),
          ['maxResults', pageSize(to, { usual: 50, most: 2500 })],
        ],
      };
    },
  },
  'calendar.availability': {
    request: (to) => ({
      method: 'POST',
      url: `${CALENDAR}/freeBusy`,
      json: {
        timeMin: to.params.text('timeMin'),
        timeMax: to.params.text('timeMax'),
        items: [{ id: needed(to, 'calendar') }],
      },
    }),
    view: inside(''),
  },
};

function docRequests(to: Target): Json[] {
  const rows = to.params.rows('actionsUi.actionFields');
  to.params.get('actionsUi');
  return rows.map((row): Json => {
    const [action, text] = [formatScalar(row['action']), readText(row['text'])];
    if (action === 'replaceAll')
      return {
        replaceAllText: {
          replaceText: readText(row['replaceText']),
          containsText: { text, matchCase: row['matchCase'] === true },
        },
      };
    const place = formatScalar(row['locationChoice'], 'endOfSegmentLocation');
    if (action !== 'insert' || formatScalar(row['object'], 'text') !== 'text')
      throw new NotConvertible(`it changes the document with "${action} ${formatScalar(row['object'])}"`);
    if (place === 'endOfSegmentLocation') return { insertText: { text, endOfSegmentLocation: {} } };
    return { insertText: { text, location: { index: Number(formatScalar(row['index'], '1')) || 1 } } };
  });
}

const docs: Readonly<Record<string, ServiceOperation>> = {
  'document.create': {
    request: (to) => {
      const folder = to.params.text('folderId');
      to.params.get('driveId');
      return {
        method: 'POST',
        url: `${DRIVE}/files`,
        json: {
          name: needed(to, 'title'),
          mimeType: 'application/vnd.google-apps.document',
          ...(folder === '' || folder === 'default' ? {} : { parents: [folder] }),
        },
      };
    },
  },
  'document.get': {
    view: { made: { content: (item) => `${item}.body` } },
    request: (to) => {
      const isWhole = to.params.get('simple') === false;
      if (isWhole) throw new NotConvertible('it reads the document with its format');
      const id = extractGoogleId(needed(to, 'documentURL'));
      return {
        method: 'GET',
        url: at`https://www.googleapis.com/drive/v3/files/${id}/export`,
        query: [['mimeType', 'text/plain']],
      };
    },
  },
  'document.update': {
    request: (to) => {
      const id = extractGoogleId(needed(to, 'documentURL'));
      const requests = docRequests(to);
      return {
        method: 'POST',
        url: at`https://docs.googleapis.com/v1/documents/${id}:batchUpdate`,
        json: { requests },
      };
    },
    ignores: ['updateFields'],
  },
};

const PARTS = 'snippet';
const youTube: Readonly<Record<string, ServiceOperation>> = {
  'video.getAll': {
    view: listIn('.items'),
    request: (to) => {
      const { params } = to;
      const filters = setIn(params, 'filters', {
        q: 'q',
        channelId: 'channelId',
        publishedAfter: 'publishedAfter',
        publishedBefore: 'publishedBefore',
        regionCode: 'regionCode',
        relatedToVideoId: 'relatedToVideoId',
        videoCategoryId: 'videoCategoryId',
        videoDuration: 'videoDuration',
        order: 'order',
      });
      const options = setIn(params, 'options', { order: 'order', safeSearch: 'safeSearch' });
      return {
        method: 'GET',
        url: `${YOUTUBE}/search`,
        query: [
          ['part', PARTS],
          ['type', 'video'],
          ...Object.entries({ ...filters, ...options }),
          ['maxResults', pageSize(to, { usual: 25, most: 50 })],
        ],
      };
    },
  },
  ...Object.fromEntries(
    (['video', 'channel', 'playlist'] as const).map((what): [string, ServiceOperation] => [
      `${what}.get`,
      {
        view: inside('.items[0]'),
        request: (to) => ({
          method: 'GET',
          url: `${YOUTUBE}/${what}s`,
          query: [
            ['part', readParts(to)],
            ['id', needed(to, `${what}Id`)],
          ],
        }),
      },
    ]),
  ),
  'channel.getAll': {
    view: listIn('.items'),
    request: (to) => {
      const named = setIn(to.params, 'filters', {
        id: 'id',
        forUsername: 'forUsername',
        managedByMe: 'managedByMe',
      });
      const query = Object.keys(named).length === 0 ? { mine: 'true' } : named;
      return {
        method: 'GET',
        url: `${YOUTUBE}/channels`,
        query: [
          ['part', readParts(to)],
          ...Object.entries(query),
          ['maxResults', pageSize(to, { usual: 25, most: 50 })],
        ],
      };
    },
  },
  'playlistItem.getAll': {
    view: listIn('.items'),
    request: (to) => ({
      method: 'GET',
      url: `${YOUTUBE}/playlistItems`,
      query: [
        ['part', readParts(to)],
        ['playlistId', needed(to, 'playlistId')],
        ['maxResults', pageSize(to, { usual: 25, most: 50 })],
      ],
    }),
  },
};

function readParts({ params }: Target): string {
  const stored = params.get('part');
  const parts = Array.isArray(stored) ? stored.map((part) => readText(part)) : [];
  return parts.length === 0 || parts.includes('*') ? 'snippet,contentDetails' : parts.join(',');
}

export const google: Readonly<Record<string, Kind>> = {
  googleCalendar: restService({
    name: 'Google Calendar',
    signIn: GOOGLE,
    usual: { resource: 'event', operation: 'create' },
    operations: calendar,
  }),
  googleDocs: restService({
    name: 'Google Docs',
    signIn: GOOGLE,
    usual: { resource: 'document', operation: 'create' },
    operations: docs,
  }),
  youTube: restService({
    name: 'YouTube',
    signIn: GOOGLE,
    usual: {
      resource: 'channel',
      operation: 'getAll',
      operations: { video: 'getAll', playlist: 'create', playlistItem: 'add' },
    },
    operations: youTube,
  }),
};
