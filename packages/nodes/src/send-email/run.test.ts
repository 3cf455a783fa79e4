import type { AddressInfo } from 'node:net';
import type { Json, JsonObject } from '@millrace/engine';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import { realEgress } from '../testing/real-egress.ts';
import { traceNode } from '../testing/run-node.ts';
import { certificate, certificateKey } from '../testing/servers/tls.ts';
import { testSmtp } from './smtp.ts';

interface Mail {
  from: string;
  to: string[];
  secure: boolean;
  user: unknown;
  source: string;
}

const servers: SMTPServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close(() => undefined);
});

/** A real SMTP server that wants a user, keeps what it gets and refuses recipients that begin with "unknown". */
async function smtp(options: SMTPServerOptions = {}): Promise<{ port: number; mails: Mail[] }> {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    key: certificateKey,
    cert: certificate,
    onAuth: ({ username, password }, _session, done) =>
      password === 'canary-password' ? done(null, { user: username }) : done(new Error('535 wrong password')),
    onRcptTo: ({ address }, _session, done) =>
      address.startsWith('unknown')
        ? done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }))
        : done(),
    onData(stream, session, done) {
      let source = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => (source += chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: session.user,
          source,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.server.address() as AddressInfo).port, mails };
}

const values = (port: number, more: JsonObject = {}): JsonObject => ({
  smtp_host: 'tls.example',
  smtp_port: port,
  smtp_username: 'sender@example.com',
  smtp_password: 'canary-password',
  smtp_use_tls: true,
  ...more,
});

const send = (
  config: JsonObject,
  data: JsonObject,
  inputs: Record<string, Json> = { start: { text: 'Hello' } },
) =>
  traceNode(
    'sendEmail',
    { credentialId: 'c', to: 'ada@example.com', subject: 'Subject', ...data },
    {
      inputs,
      services: {
        http: realEgress(certificate),
        credential: (id) => Promise.resolve({ id, name: 'mail', type: 'smtp', values: config }),
      },
    },
  );

test('a text goes out over STARTTLS with user and password, and the output names what was sent', async () => {
  const { port, mails } = await smtp();
  const { result } = await send(values(port), { cc: 'Grace <grace@example.com>', bcc: 'hidden@example.com' });
  expect(result).toEqual({
    output: {
      status: 'sent',
      to: 'ada@example.com',
      subject: 'Subject',
      cc: 'Grace <grace@example.com>',
      bcc: 'hidden@example.com',
      message_id: expect.stringMatching(/^<[0-9a-f]{32}@example\.com>$/),
    },
  });
  expect(mails).toMatchObject([
    {
      from: 'sender@example.com',
      to: ['ada@example.com', 'grace@example.com', 'hidden@example.com'],
      secure: true,
      user: 'sender@example.com',
    },
  ]);
  expect(mails[0]?.source).toMatch(/^Content-Type: text\/plain/m);
  expect(mails[0]?.source).toContain('\r\n\r\nHello');
  expect(mails[0]?.source).not.toContain('hidden@example.com');
});

test('HTML goes out with a plain version beside it', async () => {
  const { port, mails } = await smtp();
  await send(values(port), { emailBody: '<h1>Hi $input.text</h1><p>you &amp; me</p>' });
  expect(mails[0]?.source).toMatch(/multipart\/alternative/);
  expect(mails[0]?.source).toContain('<h1>Hi Hello</h1>');
  expect(mails[0]?.source).toMatch(/Hi Hello\s+you & me/);
});

test.each(['1 < 2 and 3 > 2', 'a <ada@example.com> wrote', '<not html'])(
  '"%s" stays a text',
  async (emailBody) => {
    const { port, mails } = await smtp();
    await send(values(port), { emailBody });
    expect(mails[0]?.source).not.toContain('text/html');
  },
);

test('attachments are sent by value', async () => {
  const { port, mails } = await smtp();
  const files = [
    {
      filename: 'ü.pdf',
      content_base64: Buffer.from('%PDF').toString('base64'),
      mime_type: 'application/pdf',
    },
    { filename: 'note.txt', content: 'plain' },
  ];
  const { result } = await send(
    values(port),
    { attachments: '$start.files' },
    { start: { text: '', files } },
  );
  expect(result).toMatchObject({ output: { attachment_count: 2 } });
  expect(mails[0]?.source).toContain('application/pdf');
  expect(mails[0]?.source).toContain(Buffer.from('%PDF').toString('base64'));
});

test.each([
  ['a path is never opened', [{ filename: 'x', path: '/etc/passwd' }], 'lacks content_base64'],
  ['no base64', [{ filename: 'x', content_base64: '%%%' }], 'not base64'],
  ['no name', [{ content: 'x' }], 'lacks a filename'],
  ['an id', 'b1a9', 'content_base64'],
])('attachments: %s', async (_title, attachments, words) => {
  const { port, mails } = await smtp();
  const { result } = await send(values(port), { attachments });
  expect(result).toMatchObject({ failure: { kind: 'params', field: 'attachments' } });
  expect(JSON.stringify(result)).toContain(words);
  expect(mails).toEqual([]);
});

test('a value cannot add a header or a recipient', async () => {
  const { port, mails } = await smtp();
  const start = { text: 'x', subject: 'Hi\r\nBcc: evil@example.com' };
  await send(values(port), { subject: '$start.subject' }, { start });
  expect(mails[0]?.to).toEqual(['ada@example.com']);
  expect(mails[0]?.source).not.toMatch(/^Bcc:/m);
  for (const to of ['a@example.com\r\nRCPT TO:<evil@example.com>', 'a b@example.com', 'x']) {
    const { result } = await send(values(port), { to });
    expect(result).toMatchObject({ failure: { kind: 'params', field: 'to' } });
  }
  expect(mails).toHaveLength(1);
});

test('port 465 and its kind speak TLS from the first byte', async () => {
  const { port, mails } = await smtp({ secure: true });
  const http = realEgress(certificate);
  const implicit = {
    ...http,
    connect: (request: Parameters<typeof http.connect>[0]) => http.connect({ ...request, port }),
  };
  await testSmtp({ http: implicit, signal: new AbortController().signal }, values(465));
  expect(mails).toEqual([]);
});

test('a server without STARTTLS is refused unless TLS is off', async () => {
  const { port, mails } = await smtp({ disabledCommands: ['STARTTLS'] });
  expect((await send(values(port), {})).result).toMatchObject({
    failure: { kind: 'upstream', message: expect.stringContaining('TLS connection') },
  });
  expect((await send(values(port, { smtp_use_tls: false }), {})).result).toMatchObject({
    output: { status: 'sent' },
  });
  expect(mails).toMatchObject([{ secure: false }]);
});

test('a refused password is a problem of the credential, told without the password', async () => {
  const { port } = await smtp();
  const { result } = await send(values(port, { smtp_password: 'wrong-canary' }), {});
  expect(result).toMatchObject({ failure: { kind: 'credential', final: true } });
  expect(JSON.stringify(result)).not.toContain('wrong-canary');
});

test('when some recipients are refused the mail is sent and the log says so; when all are, the node fails', async () => {
  const { port, mails } = await smtp();
  const some = await send(values(port), { to: 'ada@example.com, unknown@example.com' });
  expect(some.result).toMatchObject({ output: { status: 'sent' } });
  expect(some.trace.logged).toMatchObject([{ level: 'warn', message: expect.stringContaining('unknown@') }]);
  const { result } = await send(values(port), { to: 'unknown@example.com' });
  expect(result).toMatchObject({
    failure: {
      kind: 'upstream',
      message: expect.stringContaining('no such mailbox'),
      details: { status: 550 },
    },
  });
  expect(mails).toHaveLength(1);
});

test('the sender of the credential comes before its user name; without an address the node says where to enter one', async () => {
  const { port, mails } = await smtp();
  await send(values(port, { smtp_from: 'News <news@example.com>' }), {});
  expect(mails[0]).toMatchObject({ from: 'news@example.com' });
  const { result } = await send(values(port, { smtp_username: 'user' }), {});
  expect(result).toMatchObject({
    failure: { kind: 'credential', message: expect.stringContaining('sender address') },
  });
});

test('the same work has the same Message-ID', async () => {
  const { port, mails } = await smtp();
  await send(values(port), {});
  await send(values(port), {});
  const ids = mails.map(({ source }) => /^Message-ID: (.*)$/im.exec(source)?.[1]);
  expect(ids[0]).toBeDefined();
  expect(ids[0]).toBe(ids[1]);
});

test('the connection test signs in and sends nothing', async () => {
  const { port, mails } = await smtp();
  const caller = { http: realEgress(certificate), signal: new AbortController().signal };
  await testSmtp(caller, values(port));
  await expect(testSmtp(caller, values(port, { smtp_password: 'no' }))).rejects.toThrow('refused user name');
  expect(mails).toEqual([]);
});
