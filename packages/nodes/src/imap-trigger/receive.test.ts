import { type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import { ImapFlow } from 'imapflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FireOutcome, ReadingCall, TriggerEvent } from '../receive.ts';
import { receivers } from '../runtime.ts';
import { testParsers } from '../testing/documents/test-parsers.ts';
import { realEgress } from '../testing/real-egress.ts';
import { type Dovecot, hasDovecot, startDovecot } from '../testing/servers/dovecot.ts';
import { certificate } from '../testing/servers/tls.ts';

const NOW = Date.parse('2026-01-05T09:00:00.000Z');
const MAX_BYTES = 1_000;

describe.skipIf(!hasDovecot)('against a real IMAP server (needs Dovecot)', () => {
  let server: Dovecot;
  beforeAll(async () => {
    server = await startDovecot();
  }, 60_000);
  afterAll(() => server.stop());

  interface Owner {
    readonly user: string;
    readonly stored: Map<string, Buffer>;
    config: Record<string, Json>;
    cursor: Json;
    events: TriggerEvent[];
    outcome: FireOutcome['kind'];
    /** Files that can be stored. */
    room: number;
  }
  let count = 0;

  /** A person with an empty mailbox and a trigger that reads it. */
  function owner(mailbox = 'INBOX'): Owner {
    const user = `person-${(count += 1)}`;
    return {
      user,
      stored: new Map(),
      config: {
        imap_host: 'tls.example',
        imap_port: server.port,
        imap_username: user,
        imap_password: 'secret',
        imap_mailbox: mailbox,
        imap_use_ssl: true,
      },
      cursor: null,
      events: [],
      outcome: 'queued',
      room: Number.POSITIVE_INFINITY,
    };
  }

  /** Looks once, as the host does: the cursor is stored with every event, and at the end. */
  async function look(
    person: Owner,
    { signal = new AbortController().signal, ca = certificate, allows_private = false } = {},
  ) {
    const receiver = receivers.get('imapTrigger');
    if (receiver?.kind !== 'poll') throw new Error('no receiver');
    const before = person.events.length;
    const call: ReadingCall<Readonly<Record<string, unknown>>> = {
      params: { credentialId: 'c', pollIntervalMinutes: 5 },
      node_id: 'mail',
      cursor: person.cursor,
      signal,
      services: {
        http: { ...realEgress(ca === '' ? undefined : ca), allows_private },
        credential: async () => ({ id: 'c', name: 'c', type: 'imap', values: person.config }),
        now: () => NOW,
        parsers: testParsers,
        files: {
          max_bytes: MAX_BYTES,
          async store({ body }) {
            if (person.stored.size >= person.room) throw new Error('no room');
            const chunks: Uint8Array[] = [];
            for await (const chunk of body) chunks.push(chunk);
            const id = `file-${(count += 1)}`;
            person.stored.set(id, Buffer.concat(chunks));
            return { id, download_url: `https://files/${id}` };
          },
          async discard(id) {
            person.stored.delete(id);
          },
        },
      },
      async fire(event) {
        if (person.outcome === 'lost') return { kind: 'lost' };
        person.events.push(event);
        person.cursor = event.cursor ?? person.cursor;
        return { kind: person.outcome, run_id: 'run' };
      },
    };
    person.cursor = await receiver.poll(call);
    return person.events.slice(before);
  }
  const getMail = ({ input }: TriggerEvent) => input['email'] as JsonObject;
  const subjects = (events: readonly TriggerEvent[]) => events.map((event) => getMail(event)['subject']);

  async function asUser<T>({ user }: Owner, work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const client = new ImapFlow({
      host: '127.0.0.1',
      port: server.port,
      secure: true,
      servername: 'tls.example',
      tls: { ca: certificate },
      auth: { user, pass: 'secret' },
      logger: false,
    });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.logout();
    }
  }
  const deliver = (person: Owner, ...mails: string[]) =>
    asUser(person, async (client) => {
      const mailbox = String(person.config['imap_mailbox']);
      for (const mail of mails) await client.append(mailbox, Buffer.from(mail.replaceAll('\n', '\r\n')));
    });
  const plain = (subject: string) => `From: Ada <ada@example.com>\nSubject: ${subject}\n\nHello ${subject}\n`;

  test('§6.2: the first look only arms; a first mail in an empty mailbox is not lost', async () => {
    const person = owner();
    expect(await look(person)).toEqual([]);
    expect(person.cursor).toMatchObject({ uid: 0, uidvalidity: expect.stringMatching(/^\d+$/) });
    await deliver(person, plain('one'));
    expect(subjects(await look(person))).toEqual(['one']);
    expect(await look(person)).toEqual([]);
  });

  test('mails that were there before start nothing, new ones one run each, oldest first', async () => {
    const person = owner();
    await deliver(person, plain('old'), plain('older'));
    expect(await look(person)).toEqual([]);
    await deliver(person, plain('a'), plain('b'), plain('c'));
    const events = await look(person);
    expect(subjects(events)).toEqual(['a', 'b', 'c']);
    expect(events.map(({ cursor }) => (cursor as JsonObject)['uid'])).toEqual([3, 4, 5]);
    expect(new Set(events.map(({ cause }) => cause)).size).toBe(3);
    expect(events[0]?.input).toMatchObject({
      triggered_by: 'imap',
      trigger_node_id: 'mail',
      triggered_at: '2026-01-05T09:00:00.000Z',
    });
  });

  test('the mailbox is only read: nothing counts as seen', async () => {
    const person = owner();
    await look(person);
    await deliver(person, plain('unseen'));
    await look(person);
    const unseen = await asUser(person, async (client) => {
      await client.mailboxOpen('INBOX');
      return client.search({ seen: false }, { uid: true });
    });
    expect(unseen).toEqual([1]);
  });

  test('a mailbox whose numbers begin anew is armed anew, and what comes then is delivered', async () => {
    const person = owner('Orders');
    await asUser(person, (client) => client.mailboxCreate('Orders'));
    await look(person);
    await deliver(person, plain('1'), plain('2'));
    expect(await look(person)).toHaveLength(2);
    const before = person.cursor as JsonObject;
    await asUser(person, async (client) => {
      await client.mailboxDelete('Orders');
      // The server makes the number from the time in seconds.
      await new Promise((resolve) => {
        setTimeout(resolve, 1_100);
      });
      await client.mailboxCreate('Orders');
    });
    await deliver(person, plain('between'));
    expect(await look(person)).toEqual([]);
    expect(person.cursor).not.toMatchObject({ uidvalidity: before['uidvalidity'] });
    await deliver(person, plain('after'));
    expect(subjects(await look(person))).toEqual(['after']);
  });

  test('another mailbox of the same settings is armed anew', async () => {
    const person = owner();
    await look(person);
    const other = owner();
    await deliver(other, plain('theirs'));
    person.config = other.config;
    expect(await look(person)).toEqual([]);
  });

  const WITH_FILES = [
    'From: =?utf-8?q?J=C3=BCrgen?= <j@example.com>',
    'To: Team: a@example.com, "B" <b@example.com>;',
    'Cc: c@example.com',
    'Reply-To: desk@example.com',
    'Subject: =?utf-8?b?UHJlaXNlIMOkbmRlcm4=?=',
    'Message-ID: <1@example.com>',
    'Date: Mon, 05 Jan 2026 08:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=x',
    '',
    '--x',
    'Content-Type: multipart/alternative; boundary=y',
    '',
    '--y',
    'Content-Type: text/plain; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    'Gr=FC=DFe',
    '--y',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<p>Grüße</p>',
    '--y--',
    '--x',
    'Content-Type: text/csv',
    'Content-Disposition: attachment; filename="../prices.csv"',
    'Content-Transfer-Encoding: base64',
    '',
    'YTtiCg==',
    '--x',
    'Content-Type: application/octet-stream; name=big.bin',
    'Content-Disposition: attachment',
    '',
    'x'.repeat(MAX_BYTES + 1),
    '--x--',
    '',
  ].join('\n');

  test('a mail of several parts: texts, addresses, and attachments by reference up to the size of a file', async () => {
    const person = owner();
    await look(person);
    await deliver(person, WITH_FILES);
    const [event] = await look(person);
    const mail = event ? getMail(event) : {};
    expect(mail).toMatchObject({
      uid: 1,
      subject: 'Preise ändern',
      from: 'Jürgen <j@example.com>',
      fromAddresses: [{ name: 'Jürgen', email: 'j@example.com' }],
      toAddresses: [
        { name: '', email: 'a@example.com' },
        { name: 'B', email: 'b@example.com' },
      ],
      cc: 'c@example.com',
      replyTo: 'desk@example.com',
      messageId: '<1@example.com>',
      date: '2026-01-05T08:00:00.000Z',
      text: expect.stringContaining('Grüße'),
      html: expect.stringContaining('<p>Grüße</p>'),
      headers: { 'message-id': '<1@example.com>' },
      attachments: [
        {
          filename: '../prices.csv',
          content_type: 'text/csv',
          size_bytes: 4,
          file: { id: expect.any(String) },
        },
        { filename: 'big.bin', file: null, too_large: true },
      ],
    });
    expect([...person.stored.values()].map(String)).toEqual(['a;b\n']);
  });

  test.each([
    ['nothing but a line', 'hello'],
    [
      'a boundary that is never closed',
      'Content-Type: multipart/mixed; boundary=x\n\n--x\nContent-Type: text/plain\n\nhi',
    ],
    ['a boundary that is not named', 'Subject: s\nContent-Type: multipart/mixed\n\nhi'],
    ['broken base64', 'Content-Transfer-Encoding: base64\n\n%%%%'],
    ['an unknown character set', 'Content-Type: text/plain; charset=klingon\n\nhi'],
    ['blocked header names', '__proto__: x\nconstructor: y\n\nhi'],
    [
      'parts within parts, a thousand deep',
      Array.from(
        { length: 1_000 },
        (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
      ).join(''),
    ],
  ])('a malformed mail does not hold up those behind it: %s', async (_, mail) => {
    const person = owner();
    await look(person);
    await deliver(person, mail, plain('behind'));
    const events = await look(person);
    expect(events).toHaveLength(2);
    expect(getMail(events[1] as TriggerEvent)['subject']).toBe('behind');
  });

  test('a trigger that is hosted elsewhere now reads no further and keeps no attachments', async () => {
    const person = owner();
    await look(person);
    await deliver(person, WITH_FILES, plain('b'));
    person.outcome = 'lost';
    expect(await look(person)).toEqual([]);
    expect(person.cursor).toMatchObject({ uid: 0 });
    expect(person.stored.size).toBe(0);
    person.outcome = 'repeated';
    expect(await look(person)).toHaveLength(2);
    expect(person.stored.size).toBe(0);
    expect(person.cursor).toMatchObject({ uid: 2 });
  });

  test('a mail whose second attachment cannot be stored leaves none, and is delivered by the next look', async () => {
    const person = owner();
    await look(person);
    const part =
      '--x\nContent-Type: text/csv\nContent-Disposition: attachment; filename="b.csv"\n\n1;2\n--x--';
    await deliver(person, WITH_FILES.replace('--x--', part));
    person.room = 1;
    await expect(look(person)).rejects.toMatchObject({
      name: 'MailNotStored',
      cause: { message: 'no room' },
    });
    expect(person.stored.size).toBe(0);
    person.room = Number.POSITIVE_INFINITY;
    expect(await look(person)).toHaveLength(1);
    expect(person.stored.size).toBe(2);
  });

  test('a stopped poll ends, and the next one continues after the last stored mail', async () => {
    const person = owner();
    await look(person);
    await deliver(person, plain('a'), plain('b'));
    const stop = new AbortController();
    const push = person.events.push.bind(person.events);
    person.events.push = (...events) => {
      stop.abort();
      return push(...events);
    };
    await look(person, { signal: stop.signal }).catch(() => undefined);
    person.events.push = push;
    expect(subjects(await look(person))).toEqual(['b']);
  });

  test.each<[string, Record<string, Json>, RegExp]>([
    ['a wrong password', { imap_password: 'wrong' }, /refused the user name or the password/],
    ['a mailbox that is not there', { imap_mailbox: 'Nowhere' }, /has no mailbox "Nowhere"/],
    [
      'a name that the certificate is not for',
      { imap_host: 'other.example' },
      /certificate of other\.example:\d+ cannot be trusted/,
    ],
  ])('%s is said in plain words', async (_, change, words) => {
    const person = owner();
    Object.assign(person.config, change);
    const error = await look(person).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NodeFailure);
    expect((error as NodeFailure).message).toMatch(words);
    expect((error as NodeFailure).message).not.toContain('secret');
  });

  test('a certificate that no authority has signed is not trusted', async () => {
    const person = owner();
    await expect(look(person, { ca: '' })).rejects.toThrow(
      /certificate of tls\.example:\d+ cannot be trusted/,
    );
  });

  describe('without TLS from the first byte', () => {
    let plain: Dovecot;
    beforeAll(async () => {
      plain = await startDovecot(undefined, { offers_tls: false });
    }, 60_000);
    afterAll(() => plain.stop());

    test('STARTTLS encrypts the connection, with a checked certificate', async () => {
      const person = owner();
      Object.assign(person.config, { imap_use_ssl: false, imap_port: server.plain_port });
      await look(person);
      await server.deliver(person.user, 'Subject: over STARTTLS\n\nHello\n');
      expect(subjects(await look(person))).toEqual(['over STARTTLS']);
      await expect(look(person, { ca: '' })).rejects.toThrow(
        /certificate of tls\.example:\d+ cannot be trusted/,
      );
      person.config['imap_host'] = 'other.example';
      await expect(look(person)).rejects.toThrow(/certificate of other\.example:\d+ cannot be trusted/);
    });

    test('a plain connection is made where private addresses are allowed, and refused elsewhere', async () => {
      const person = owner();
      Object.assign(person.config, { imap_use_ssl: false, imap_port: plain.plain_port });
      await expect(look(person)).rejects.toThrow(/offers no STARTTLS.*Switch "Use TLS" on/);
      await look(person, { allows_private: true });
      await plain.deliver(person.user, 'Subject: plain\n\nHello\n');
      expect(subjects(await look(person, { allows_private: true }))).toEqual(['plain']);
    });
  });

  test('IDLE: a watched mailbox announces a mail at once, including one from before the watch', async () => {
    const person = owner();
    await look(person);
    const receiver = receivers.get('imapTrigger');
    if (receiver?.kind !== 'poll' || !receiver.watch) throw new Error('cannot be watched');
    const { watch } = receiver;
    const begin = (signal = new AbortController().signal) =>
      watch({
        params: { credentialId: 'c', pollIntervalMinutes: 5 },
        node_id: 'mail',
        cursor: person.cursor,
        signal,
        services: {
          http: realEgress(certificate),
          credential: async () => ({ id: 'c', name: 'c', type: 'imap', values: person.config }),
          now: () => NOW,
          parsers: testParsers,
          files: {
            max_bytes: 0,
            store: () => Promise.reject(new Error('no files')),
            discard: async () => {},
          },
        },
      });
    const first = begin();
    const isOver = await Promise.race([
      first,
      new Promise((resolve) => setTimeout(resolve, 500, 'still waiting')),
    ]);
    expect(isOver).toBe('still waiting');
    await server.deliver(person.user, 'Subject: pushed\n\nHello\n');
    expect(await first).toBe('news');
    expect(await begin()).toBe('news');
    expect(subjects(await look(person))).toEqual(['pushed']);
    const stop = new AbortController();
    const stopped = begin(stop.signal);
    setTimeout(() => stop.abort(), 200);
    await expect(stopped).rejects.toThrow(/mail server/i);
  });
});
