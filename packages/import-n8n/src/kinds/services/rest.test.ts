import { createScope, evaluate, type JsonObject } from '@millrace/engine';
import type { EgressRequest } from '@millrace/nodes/runtime';
import { runNode } from '@millrace/nodes/testing';
import { describe, expect, it } from 'vitest';
import { base, convert, one } from '../../testing/converted.ts';

interface Sent {
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const NAMES =
  'airtable discord facebook google hubspot linkedin microsoft perplexity reddit telegram whatsapp x'.split(
    ' ',
  );
const WHOLE = 'Authorization: Basic token';
const CREDENTIALS = {
  ...Object.fromEntries(NAMES.map((name) => [name, 'token'])),
  twilio: WHOLE,
  wordpress: WHOLE,
};

/** The request that the converted node sends, run with the field `x` of the node before. */
async function sent(type: string, parameters: JsonObject, x: unknown = 'a "b" & c') {
  const { type: made, settings, lines } = one(base(type), 2, parameters);
  expect(lines.filter((line) => line.includes('cannot'))).toEqual([]);
  let request: EgressRequest | undefined;
  const result = await runNode(made, settings, {
    inputs: { Before: { x } as JsonObject },
    names: { credentials: CREDENTIALS },
    services: {
      http: {
        request: (seen: EgressRequest) => {
          request = seen;
          const answer = { id: 1, data: { id: 2 }, records: [{ id: 'r', fields: { Name: 'n' } }] };
          return Promise.resolve({
            status: 200,
            headers: { 'content-type': 'application/json' },
            url: seen.url,
            body: bytes(JSON.stringify(answer)),
          });
        },
        connect: () => Promise.reject(new Error('no connection')),
        resolveAddresses: () => Promise.resolve([]),
      },
    },
  });
  expect(result).toHaveProperty('output');
  if (request === undefined) throw new Error('nothing was sent');
  const { method, url, headers, body } = request;
  const text = typeof body === 'string' ? body : '';
  const isJson = headers.some(([name, value]) => name === 'Content-Type' && value === 'application/json');
  return {
    line: `${method} ${url}`,
    headers: Object.fromEntries(headers),
    body: isJson ? (JSON.parse(text) as unknown) : text,
  } satisfies Sent;
}

async function* bytes(text: string) {
  yield await Promise.resolve(Buffer.from(text));
}

const X = '={{ $json.x }}';

describe('an operation of a service without a node here is the request that n8n sends', () => {
  it.each<[string, JsonObject, string, unknown]>([
    [
      'airtable',
      {
        operation: 'search',
        base: 'app1',
        table: { value: 'My table' },
        filterByFormula: "={Name} = '{{ $json.x }}'",
        returnAll: false,
        limit: 5,
      },
      'GET https://api.airtable.com/v0/app1/My%20table?filterByFormula=%7BName%7D%20%3D%20%27a%20%22b%22%20%26%20c%27&pageSize=5',
      '',
    ],
    [
      'airtable',
      {
        operation: 'create',
        base: 'app1',
        table: 't',
        columns: { mappingMode: 'defineBelow', value: { Name: X, Size: 5 } },
      },
      'POST https://api.airtable.com/v0/app1/t',
      { fields: { Name: 'a "b" & c', Size: 5 } },
    ],
    [
      'airtable',
      {
        operation: 'update',
        base: 'app1',
        table: 't',
        columns: { mappingMode: 'defineBelow', matchingColumns: ['id'], value: { id: 'rec1', Name: X } },
      },
      'PATCH https://api.airtable.com/v0/app1/t/rec1',
      { fields: { Name: 'a "b" & c' } },
    ],
    [
      'airtable',
      {
        operation: 'upsert',
        base: 'app1',
        table: 't',
        columns: { mappingMode: 'autoMapInputData', matchingColumns: ['x'] },
        options: { typecast: true },
      },
      'PATCH https://api.airtable.com/v0/app1/t',
      {
        performUpsert: { fieldsToMergeOn: ['x'] },
        records: [{ fields: { x: 'a "b" & c' } }],
        typecast: true,
      },
    ],
    [
      'googleCalendar',
      {
        calendar: { value: 'me@example.com' },
        start: '2026-01-01T10:00:00Z',
        end: X,
        additionalFields: { summary: 'Talk', attendees: ['a@example.com, b@example.com'], allday: 'no' },
      },
      'POST https://www.googleapis.com/calendar/v3/calendars/me%40example.com/events',
      {
        summary: 'Talk',
        start: { dateTime: '2026-01-01T10:00:00Z' },
        end: { dateTime: 'a "b" & c' },
        attendees: [{ email: 'a@example.com' }, { email: 'b@example.com' }],
      },
    ],
    [
      'googleDocs',
      {
        operation: 'update',
        documentURL: 'https://docs.google.com/document/d/1dv1AXaotp/edit',
        actionsUi: { actionFields: [{ action: 'insert', text: X }] },
      },
      'POST https://docs.googleapis.com/v1/documents/1dv1AXaotp:batchUpdate',
      { requests: [{ insertText: { text: 'a "b" & c', endOfSegmentLocation: {} } }] },
    ],
    [
      'gmail',
      { operation: 'addLabels', messageId: 'm1', labelIds: ['L1'] },
      'POST https://gmail.googleapis.com/gmail/v1/users/me/messages/m1/modify',
      { addLabelIds: ['L1'] },
    ],
    [
      'googleDrive',
      {
        resource: 'fileFolder',
        queryString: "it's",
        returnAll: true,
        filter: { folderId: { value: 'f1' }, whatToSearch: 'files' },
      },
      String.raw`GET https://www.googleapis.com/drive/v3/files?q=name%20contains%20%27it%5C%27s%27%20and%20%27f1%27%20in%20parents%20and%20mimeType%20!%3D%20%27application%2Fvnd.google-apps.folder%27%20and%20trashed%20%3D%20false&pageSize=1000&fields=files(id%2Cname%2CmimeType%2Csize%2CcreatedTime%2CmodifiedTime%2CwebViewLink%2Cparents)&supportsAllDrives=true&includeItemsFromAllDrives=true`,
      '',
    ],
    [
      'telegram',
      { chatId: '7', text: X, additionalFields: { parse_mode: 'HTML', disable_web_page_preview: true } },
      'POST https://api.telegram.org/bottoken/sendMessage',
      { chat_id: '7', text: 'a "b" & c', parse_mode: 'HTML', disable_web_page_preview: true },
    ],
    [
      'telegram',
      { operation: 'sendPhoto', chatId: '5', file: X, additionalFields: { caption: 'c' } },
      'POST https://api.telegram.org/bottoken/sendPhoto',
      { chat_id: '5', photo: 'a "b" & c', caption: 'c' },
    ],
    [
      'discord',
      {
        resource: 'message',
        guildId: 'g',
        channelId: { value: '77' },
        content: X,
        embeds: { values: [{ title: 'T' }] },
      },
      'POST https://discord.com/api/v10/channels/77/messages',
      { content: 'a "b" & c', embeds: [{ title: 'T' }] },
    ],
    [
      'whatsApp',
      { operation: 'send', phoneNumberId: '1', recipientPhoneNumber: X, textBody: 'Hi' },
      'POST https://graph.facebook.com/v22.0/1/messages',
      {
        messaging_product: 'whatsapp',
        to: 'a "b" & c',
        recipient_type: 'individual',
        type: 'text',
        text: { body: 'Hi', preview_url: false },
      },
    ],
    [
      'facebookGraphApi',
      {
        httpRequestMethod: 'POST',
        graphApiVersion: 'v22.0',
        node: '17',
        edge: 'media',
        options: { queryParameters: { parameter: [{ name: 'caption', value: X }] } },
      },
      'POST https://graph.facebook.com/v22.0/17/media?caption=a%20%22b%22%20%26%20c',
      '',
    ],
    [
      'linkedIn',
      { text: X, person: 'p1', additionalFields: { visibility: 'PUBLIC' } },
      'POST https://api.linkedin.com/rest/posts',
      {
        author: 'urn:li:person:p1',
        lifecycleState: 'PUBLISHED',
        distribution: {
          feedDistribution: 'MAIN_FEED',
          targetEntities: [],
          thirdPartyDistributionChannels: [],
        },
        visibility: 'PUBLIC',
        commentary: 'a "b" & c',
      },
    ],
    ['twitter', { text: X }, 'POST https://api.x.com/2/tweets', { text: 'a "b" & c' }],
    [
      'twilio',
      { from: '+1', to: X, message: 'Hi & so' },
      'POST https://api.twilio.com/2010-04-01/Accounts/ACCOUNT_SID/Messages.json',
      'From=%2B1&To=a%20%22b%22%20%26%20c&Body=Hi%20%26%20so',
    ],
    [
      'microsoftOutlook',
      { subject: X, bodyContent: 'b', toRecipients: 'a@example.com,b@example.com' },
      'POST https://graph.microsoft.com/v1.0/me/sendMail',
      {
        message: {
          subject: 'a "b" & c',
          body: { contentType: 'HTML', content: 'b' },
          toRecipients: [
            { emailAddress: { address: 'a@example.com' } },
            { emailAddress: { address: 'b@example.com' } },
          ],
        },
        saveToSentItems: true,
      },
    ],
    [
      'wordpress',
      { title: X, additionalFields: { status: 'draft', authorId: 3 } },
      'POST https://example.com/wp-json/wp/v2/posts',
      { title: 'a "b" & c', status: 'draft', author: 3 },
    ],
    [
      'perplexity',
      { model: 'sonar', messages: { message: [{ content: X }] }, options: { maxTokens: 9 } },
      'POST https://api.perplexity.ai/chat/completions',
      { model: 'sonar', messages: [{ role: 'user', content: 'a "b" & c' }], max_tokens: 9 },
    ],
    [
      'hubspot',
      { email: 'a@example.com', additionalFields: { firstName: X } },
      'POST https://api.hubapi.com/contacts/v1/contact/createOrUpdate/email/a%40example.com',
      { properties: [{ property: 'firstname', value: 'a "b" & c' }] },
    ],
    [
      'reddit',
      { resource: 'post', operation: 'search', subreddit: 'n', keyword: X, limit: 7 },
      'GET https://oauth.reddit.com/r/n/search.json?q=a%20%22b%22%20%26%20c&restrict_sr=true&sort=relevance&limit=7',
      '',
    ],
    [
      'youTube',
      { resource: 'video', filters: { q: X }, limit: 3 },
      'GET https://www.googleapis.com/youtube/v3/search?part=snippet&type=video&q=a%20%22b%22%20%26%20c&maxResults=3',
      '',
    ],
  ])('%s %j', async (type, parameters, line, body) => {
    const request = await sent(type, parameters);
    expect(request.line).toBe(line);
    expect(request.body).toEqual(body);
  });

  it('keeps what narrows a search: views, order, kinds of files, times, words', async () => {
    const readSentQuery = async (type: string, parameters: JsonObject, x?: unknown) =>
      decodeURIComponent((await sent(type, parameters, x)).line.split('?')[1] ?? '');
    const view = { operation: 'search', base: 'a', table: 't', options: { view: { value: 'Open' } } };
    const sort = { property: [{ field: 'Due', direction: 'desc' }, { field: 'Name' }] };
    expect(await readSentQuery('airtable', { ...view, sort })).toBe(
      'view=Open&sort[0][field]=Due&sort[0][direction]=desc&sort[1][field]=Name&sort[1][direction]=asc&pageSize=100',
    );
    const search = { resource: 'fileFolder', queryString: X };
    const filter = { whatToSearch: 'files', fileTypes: ['application/pdf', 'image/png'] };
    expect(await readSentQuery('googleDrive', { ...search, filter }, "a' or '\\")).toContain(
      "q=name contains 'a\\' or \\'\\\\' and mimeType != 'application/vnd.google-apps.folder'" +
        " and (mimeType = 'application/pdf' or mimeType = 'image/png') and trashed = false&",
    );
    const since = { startTime: '2026-01-01T00:00:00Z' };
    expect(
      await readSentQuery('twitter', { operation: 'search', searchText: 'n', additionalFields: since }),
    ).toContain('start_time=2026-01-01T00:00:00Z');
    const words = { operation: 'search', additionalFields: { query: X } };
    expect((await sent('hubspot', words)).body).toMatchObject({ query: 'a "b" & c' });
  });

  it('takes a limit that is an expression, within what the service gives at once', async () => {
    const search = { resource: 'post', operation: 'search', subreddit: 'n', keyword: 'k', limit: X };
    expect((await sent('reddit', search, '7')).line).toContain('&limit=7');
    expect((await sent('reddit', search, 500)).line).toContain('&limit=100');
    const posts = { operation: 'search', searchText: 'n', limit: X };
    expect((await sent('twitter', posts, 3)).line).toContain('max_results=10');
    expect((await sent('hubspot', { operation: 'search', limit: X }, 500)).body).toMatchObject({
      limit: 100,
    });
  });

  it('keeps values in their place of the path', async () => {
    const graph = { graphApiVersion: 'v22.0', node: X, edge: 'photos/of me' };
    expect((await sent('facebookGraphApi', graph, '../me?fields=a')).line).toBe(
      'GET https://graph.facebook.com/v22.0/..%2Fme%3Ffields%3Da/photos/of%20me',
    );
    const record = { operation: 'deleteRecord', base: 'app1', table: 't', id: '=rec{{ $json.x }}' };
    expect((await sent('airtable', record, '../../meta?a#b')).line).toBe(
      'DELETE https://api.airtable.com/v0/app1/t/rec..%2F..%2Fmeta%3Fa%23b',
    );
    expect((await sent('airtable', record, 7)).line).toMatch(/\/t\/rec7$/);
    const document = { operation: 'update', documentURL: X, actionsUi: {} };
    expect(
      (await sent('googleDocs', document, 'https://docs.google.com/document/d/1dv1AXaotp/edit')).line,
    ).toBe('POST https://docs.googleapis.com/v1/documents/1dv1AXaotp:batchUpdate');
  });

  it('fails where the service refuses, as nodes of services do', () => {
    expect(one(base('hubspot'), 2, { operation: 'get', contactId: '1' }).settings['failOnErrorStatus']).toBe(
      true,
    );
  });

  it.each<[string, JsonObject, RegExp]>([
    ['googleCalendar', { operation: 'getAll', calendar: 'c', returnAll: true }, /at most 2500 entries/],
    ['hubspot', { operation: 'search', limit: 500 }, /at most 100 entries/],
    [
      'googleCalendar',
      { operation: 'update', calendar: 'c', eventId: 'e', modifyTarget: 'event' },
      /"modifyTarget"/,
    ],
    [
      'googleDrive',
      { operation: 'share', fileId: 'f', options: { sendNotificationEmail: 'no' } },
      /sendNotificationEmail/,
    ],
    [
      'googleDrive',
      { resource: 'fileFolder', filter: { driveId: { value: 'd1' } } },
      /every drive here, and not only "d1"/,
    ],
    [
      'wordpress',
      { operation: 'getAll', options: { excludedTags: [3] } },
      /"options.excludedTags" has no equal/,
    ],
    [
      'airtable',
      { operation: 'create', base: 'a', table: 't', columns: {}, options: { ignoreFields: 'a' } },
      /ignoreFields/,
    ],
  ])('%s %j says what it does otherwise', (type, parameters, line) => {
    expect(one(base(type), 2, parameters).lines).toContainEqual(expect.stringMatching(line));
  });

  it('signs in with a credential that is named, also where the address has the token', async () => {
    expect(
      (await sent('airtable', { operation: 'get', base: 'a', table: 't', id: 'r' })).headers['Authorization'],
    ).toBe('Bearer token');
    expect(
      (await sent('discord', { resource: 'message', channelId: '7', content: 'x' })).headers['Authorization'],
    ).toBe('Bot token');
    expect(
      (await sent('telegram', { operation: 'sendChatAction', chatId: '7', action: 'typing' })).headers,
    ).not.toHaveProperty('Authorization');
    expect(
      one(base('airtable'), 2, { operation: 'get', base: 'a', table: 't', id: 'r' }).lines,
    ).toContainEqual(expect.stringContaining('make a credential named "airtable"'));
  });

  it.each<[string, JsonObject, RegExp]>([
    [
      'airtable',
      { operation: 'update', base: 'a', table: 't', columns: { matchingColumns: ['Name'], value: {} } },
      /finds the record by a value/,
    ],
    [
      'telegram',
      { operation: 'sendPhoto', chatId: '1', binaryData: true },
      /no node before it hands on a file/,
    ],
    ['gmail', { operation: 'getAll', simple: false }, /text and files of each mail/],
    ['linkedIn', { text: 'a', person: 'p', shareMediaCategory: 'IMAGE' }, /an image that is a file/],
  ])('%s %j is kept and says why', (type, parameters, reason) => {
    const { type: made, lines } = one(base(type), 2, parameters);
    expect(made).toBe(base(type));
    expect(lines).toContainEqual(expect.stringMatching(reason));
  });
});

describe('many messages of Gmail', () => {
  const mails = (parameters: JsonObject, type = 'gmail') => {
    const lead = (node: string, kind = 'main') => ({ [kind]: [[{ node, type: kind, index: 0 }]] });
    const text = '={{ $json.Subject }} {{ $json.id }}';
    return convert({
      nodes: [
        { name: 'Start', type: base('manualTrigger') },
        {
          name: 'Mails',
          type: base(type),
          typeVersion: 2.1,
          parameters: { operation: 'getAll', ...parameters },
        },
        { name: 'Send', type: base('telegram'), parameters: { chatId: '1', text } },
      ],
      connections: { Start: lead('Mails'), Mails: type === 'gmail' ? lead('Send') : lead('Send', 'ai_tool') },
    });
  };

  it('are listed, and then each is read, and the next node runs for each', () => {
    const { edges, node, lines } = mails({
      limit: 5,
      filters: { q: 'invoice', sender: 'a@b.c', readStatus: 'unread', labelIds: ['INBOX', 'L1'] },
    });
    expect(edges.toSorted()).toEqual(
      [
        'Start:>MailsFound:',
        'MailsLoop:loop>Mails:',
        'Mails:>MailsLoop:loop',
        'MailsFound:>MailsLoop:',
        'MailsLoop:done>SendLoop:',
        'SendLoop:loop>Send:',
        'Send:>SendLoop:loop',
      ].toSorted(),
    );
    expect(node('MailsFound')?.data['curl']).toContain(
      '/messages?q=invoice%20from%3Aa%40b.c%20is%3Aunread&labelIds=INBOX&labelIds=L1&maxResults=5',
    );
    expect(node('MailsLoop')?.data['arrayExpression']).toBe('$MailsFound.body.messages ?? []');
    expect(node('Mails')?.data['curl']).toContain(
      '/messages/$MailsLoop.item.id?format=metadata&metadataHeaders=From&metadataHeaders=To',
    );
    expect(node('SendLoop')?.data['arrayExpression']).toBe('$MailsLoop.results.map("item.body")');
    const message = String(node('Send')?.data['message']);
    const mail = { id: 'm1', payload: { headers: [{ name: 'Subject', value: 'Hello' }] } };
    const scope = createScope({
      values: { SendLoop: { item: mail } },
      now: () => 0,
      uuid: () => '',
      random: () => 0,
    });
    expect(evaluate(message, 'template', scope)).toBe('Hello m1');
    expect(lines('Mails').filter((line) => line.includes('no equal'))).toEqual([]);
  });

  it('after a time are asked for with its seconds', () => {
    const { node } = mails({ filters: { receivedAfter: '={{ $now.minus({ days: 1 }) }}' } });
    const curl = String(node('MailsFound')?.data['curl']);
    expect(curl).toContain('?q=$concat("after:", (now.addDays(-1).toMillis() / 1000) // 1).urlEncode()&');
  });

  it('are not a tool of an agent, which is one node', () => {
    const { lines } = mails({}, 'gmailTool');
    expect(lines('Mails')).toContainEqual(expect.stringContaining('it takes several requests'));
  });
});
