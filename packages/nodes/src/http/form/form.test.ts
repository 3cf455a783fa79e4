import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { traceNode } from '../../testing/run-node.ts';
import type { CurlForm } from './curl-form.ts';
import { credentialIn, credentialText, emptyForm } from './curl-form.ts';
import { printForm } from './print.ts';
import { readForm } from './read.ts';

function requireForm(text: string): CurlForm {
  const reading = readForm(text);
  if ('reason' in reading) throw new Error(`${text}: ${JSON.stringify(reading.reason)}`);
  return reading.form;
}

const findReason = (text: string) => {
  const reading = readForm(text);
  return 'reason' in reading ? reading.reason : undefined;
};

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const EXPRESSIONS = [
  '$a.b',
  '$input.text',
  '$order.body.items[0]',
  '$list["it\'s"]',
  "$list['a b']",
  '$name.replace("\\"", "\'")',
  '$str($input.n)',
  '$x.filter("item.n > 2").map("item.name")',
  '$credentials.mine',
];
const LITERALS = [
  "it's",
  'say "hi"',
  'two\nlines',
  '\r\n',
  'a b',
  '\\',
  '\\n',
  '{"a": [1, 2]}',
  '€ 5 ü 😀',
  '100%',
  '%20',
  'a+b',
  '`ls`',
  '!',
  '$ 5',
  '$',
  '-x',
  '@file',
  'a;type=b',
  '"a";filename="b"',
  '|',
  '/',
  'x',
  '',
];

const FILES = ['', '$upload.file', '$list["it\'s"]', ID, `https://a.example/api/files/dl/${'t'.repeat(20)}`];

/** Templates; `without` are characters that would end this part of the command. */
const template = (without = /(?!)/) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom(...EXPRESSIONS),
        fc.constantFrom(...LITERALS),
        // Brackets and dots could make a reference longer, and `$` begin one, which is another template.
        fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => text.replace(/[$()[\].\w]/g, '~')),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.filter((part) => !without.test(part)).join(' '));

const named = (without?: RegExp) => template(without).map((text) => `n${text}`);
const trimmed = (without?: RegExp) => template(without).map((text) => text.trim());

const encodedPair = fc.record({
  name: named(/\$[A-Za-z]/),
  value: template(),
  raw: fc.constant(false),
});
const rawPair = fc.record({
  name: named(/[&#=+%]/),
  // Texts without an expression are decoded again, unless they have a plus.
  value: template(/[&#]/).map((text) => `+${text}`),
  raw: fc.constant(true),
});
const pair = fc.oneof(encodedPair, rawPair);

const HEADERS = /[:]/;
const headerRow = fc.oneof(
  fc.record({ name: named(HEADERS).map((text) => `X-${text.trim()}`), value: trimmed() }),
  fc.record({ name: fc.constant(''), value: trimmed(HEADERS).map((text) => `line${text}`) }),
);

const auth = fc.oneof(
  fc.constant({ kind: 'none' } as const),
  fc.record({ kind: fc.constant('basic' as const), value: named() }),
  fc.record({ kind: fc.constant('bearer' as const), value: named().map((text) => text.trim()) }),
  fc
    .constantFrom('$credentials.mine', '$credentials["my key"]')
    .map((value) => ({ kind: 'header', value }) as const),
);

const body = fc.oneof(
  fc.constant({ kind: 'none' } as const),
  fc.record({ kind: fc.constant('json' as const), text: template(), type: fc.constant('application/json') }),
  fc.record({
    kind: fc.constant('form' as const),
    rows: fc.array(pair, { minLength: 1, maxLength: 4 }),
    type: fc.constantFrom('', 'application/x-www-form-urlencoded'),
  }),
  fc.record({
    kind: fc.constant('multipart' as const),
    rows: fc.array(
      fc.oneof(
        fc.record({
          name: named(/=/),
          value: template(),
          filename: fc.constant(''),
          type: fc.constant(''),
          is_file: fc.constant(false),
        }),
        fc.record({
          name: named(/=/),
          value: template(),
          filename: fc.constantFrom(
            '',
            'a b.csv',
            'a;b.csv',
            'a;type=b.csv',
            '"a".csv',
            '$input.n',
            '$input.n.csv',
            'order $input.n',
          ),
          type: fc.constantFrom('text/csv', 'text/csv; charset=utf-8', '$input.type'),
          is_file: fc.constant(false),
        }),
        fc.record({
          name: named(/=/),
          value: fc.constantFrom(...FILES),
          filename: fc.constantFrom('', 'a b.csv', '"a;type=b".csv', '$input.n.csv'),
          type: fc.constantFrom('', 'text/csv; charset=utf-8', '$input.type'),
          is_file: fc.constant(true),
        }),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({
    kind: fc.constant('file' as const),
    file: fc.constantFrom(...FILES),
    type: fc.constantFrom('', 'image/png', '$input.type'),
  }),
  fc.record({ kind: fc.constant('raw' as const), text: template(), type: fc.constant('text/plain') }),
);

const form: fc.Arbitrary<CurlForm> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', '$input.method'),
  url: template(/[?#]/).map((text) => `https://a.example/${text}`),
  query: fc.array(pair, { maxLength: 4 }),
  fragment: fc.constantFrom('', 'top'),
  headers: fc.array(headerRow, { maxLength: 3 }),
  auth,
  body,
  follow_redirects: fc.boolean(),
  insecure: fc.boolean(),
  timeout: fc.constantFrom('', '5', '2.5', '$input.seconds'),
  quiet: fc.constantFrom<string[]>([], ['--compressed'], ['--silent', '--show-error']),
});

describe('form and text', () => {
  test('a printed form reads back as the same form', () => {
    fc.assert(
      fc.property(form, (given) => {
        expect(readForm(printForm(given))).toEqual({ form: given });
      }),
      { numRuns: 2_000 },
    );
  });

  test('a form without changes keeps the bytes of its text', () => {
    const spaced = form.map((given) => `  ${printForm(given).replaceAll(' \\\n  ', '   ')}\n`);
    fc.assert(
      fc.property(spaced, (text) => {
        expect(printForm(requireForm(text), text)).toBe(text);
      }),
    );
  });

  test('any text is read or has a reason, and never throws', () => {
    const word = fc.oneof(
      fc.constantFrom(
        '-X PUT',
        '-H',
        '-d',
        '-F',
        '-u',
        '-G',
        '--json',
        'a=1&b=2',
        "'X: y'",
        '-k',
        '--data-urlencode',
        '--data-binary',
        '-T',
        '@$upload.file',
        'f=@$upload.file',
        '-b',
        "'",
        '"',
      ),
      fc.constantFrom(...EXPRESSIONS, ...LITERALS),
      fc.string({ maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), (words) => {
        const text = `curl ${words.join(' ')}`;
        const reading = readForm(text);
        if ('form' in reading) expect(readForm(printForm(reading.form))).toEqual(reading);
      }),
      { numRuns: 3_000 },
    );
  });
});

const INPUTS = {
  start: {
    text: `a&b=c "d" 'e' +1 %`,
    n: 5,
    nothing: null,
    list: ['x', 1],
    key: 'secret-token',
    method: 'put',
  },
};

async function sent(curl: string) {
  const { result, trace } = await traceNode('http', { curl }, { inputs: INPUTS });
  if ('failure' in result) throw new Error(result.failure.message);
  const [request] = trace.requests;
  if (!request) throw new Error('nothing was sent');
  const { headers, signal: _signal, ...rest } = request;
  const sorted = headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).toSorted();
  return {
    ...rest,
    body: String(rest.body).replaceAll(/millrace-[\da-f-]{36}/g, '…'),
    headers: sorted.map((line) => line.replace(/millrace-[\da-f-]{36}/, '…')),
  };
}

const COMMANDS = [
  'curl https://a.example',
  "curl -X POST https://a.example/p -H 'X-A: 1' -d a=1 -d 'b=two words'",
  "curl https://a.example -d 'a=$input.n&b=x'",
  `curl https://a.example -H "Content-Type: application/json" -d '{"a": $input.n, "b": "$input.text"}'`,
  `curl https://a.example -d '{"a": $input.n, "b": "$input.text"}'`,
  `curl https://a.example --json '{"a": "$input.text"}'`,
  `curl https://a.example --json '{"a": "it's"}' -H 'Accept: text/plain'`,
  "curl https://a.example --data-urlencode 'q=$input.text' --data-urlencode 'n=$input.n' -d z=1",
  "curl -G https://a.example/?z=0 --data-urlencode 'q=$input.text' -d a=1",
  "curl -G -X DELETE https://a.example -d 'a=$input.n'",
  "curl https://a.example --url-query 'q=$input.text' --url-query '+w=a+b' -X PUT -d x=1",
  'curl "https://a.example/$input.n?q=$input.text.urlEncode()&flag&t=10:30&s=a+b&e=%2C"',
  "curl -F 'a=$input.text' -F 'f=x,y;type=text/csv;filename=a.csv' --form-string 'b=;type=x' https://a.example",
  'curl -F \'f=x;type=text/csv; charset=utf-8;filename="$input.n of $input.text"\' https://a.example',
  `curl -F 'f="a;type=b \\"$input.text\\"";type=text/csv' -F 'g="x";filename="a;type=b"' https://a.example`,
  "curl -u 'me:$input.key' https://a.example",
  'curl --oauth2-bearer $input.key https://a.example',
  'curl -H "Authorization: Bearer $input.key" https://a.example',
  'curl -A agent -e https://b.example -b "a=1; b=2" https://a.example',
  "curl -A '' -H 'X-Empty;' -H 'Accept:' https://a.example",
  "curl -H 'Content-Type: text/plain' --data-raw '@home $input.text' https://a.example",
  "curl -H 'Content-Type: application/x-www-form-urlencoded' -d 'a=1' https://a.example",
  "curl -H 'Content-Type: application/vnd.api+json' -d '{\"a\": $input.n}' https://a.example",
  'curl -I -L -m 5 -k -sS --compressed https://a.example',
  'curl -X $input.method https://a.example',
  'https://a.example',
  "curl 'https://u:p@a.example/x#top'",
  "curl $'https://a.example/\\u00e9' -d $'line\\nbreak=1'",
  'curl https://a.example -d "hello" -d "b=c"',
  "curl https://a.example -d ''",
];

test('a byte order mark and half a surrogate pair in a parameter are sent as by its command', async () => {
  const pair = { name: 'q', value: '\ufeffa\ud800', raw: false };
  const { url } = await sent(printForm({ ...emptyForm(), url: 'https://a.example', query: [pair] }));
  expect(url).toBe('https://a.example/?q=%EF%BB%BFa%EF%BF%BD');
});

test.each(COMMANDS)('what a changed form writes sends the same request: %s', async (curl) => {
  expect(await sent(printForm(requireForm(curl)))).toEqual(await sent(curl));
});

describe('reading', () => {
  test('parts of the address are decoded for people', () => {
    expect(requireForm("curl 'https://a.example/p?q=a%20b&n=$input.n&flag'")).toMatchObject({
      url: 'https://a.example/p',
      query: [
        { name: 'q', value: 'a b', raw: false },
        { name: 'n', value: '$input.n', raw: true },
        { name: 'flag', value: '', written: 'flag' },
      ],
    });
  });

  test.each([
    [`curl a --json '{"a": 1}'`, { kind: 'json', text: '{"a": 1}', type: 'application/json' }],
    ["curl a -d 'x=1&y=2'", { kind: 'form', type: '' }],
    ["curl a -d 'plain'", { kind: 'raw', text: 'plain', type: '' }],
    ["curl a -F 'x=1'", { kind: 'multipart', rows: [{ name: 'x', value: '1', filename: '', type: '' }] }],
    ['curl a', { kind: 'none' }],
  ])('%s has its kind of body', (text, expected) => expect(requireForm(text).body).toMatchObject(expected));

  test.each([
    ['curl -u me:secret a', { kind: 'basic', value: 'me:secret' }],
    ['curl -H "authorization: bearer $credentials.mine" a', { kind: 'bearer', value: '$credentials.mine' }],
    [`curl -H '$credentials["my key"]' a`, { kind: 'header', value: '$credentials["my key"]' }],
    ['curl -H "Authorization: $credentials.mine" a', { kind: 'none' }],
  ])('%s has its sign-in', (text, expected) => expect(requireForm(text).auth).toEqual(expected));

  test.each([
    ['$input.curl', { kind: 'expression' }],
    ['curl --retry 3 -x proxy:1 a', { kind: 'options', options: ['--retry', '--proxy'] }],
    ["curl 'a", { kind: 'unreadable' }],
    ['curl a | jq .', { kind: 'unreadable' }],
    ['curl -d @file a', { kind: 'unreadable' }],
    ['curl "a/\\$name"', { kind: 'dollar' }],
    ['curl "a/$name"".b"', { kind: 'dollar' }],
    ['curl -u a:b -H "Authorization: Bearer x" a', { kind: 'twice', what: 'Authorization' }],
    ['curl -A x -H "User-Agent: y" a', { kind: 'twice', what: '-A' }],
    ["curl a -d '$input.a' -d '$input.b'", { kind: 'body' }],
    ["curl a --json '{}' -d a=1", { kind: 'body' }],
  ])('%s is text only', (text, expected) => expect(findReason(text)).toMatchObject(expected));
});

describe('printing', () => {
  test('a new form is no command', () => {
    expect(printForm(emptyForm())).toBe('');
    expect(requireForm('')).toEqual(emptyForm());
  });

  test('rows without a text are left out', () => {
    const empty = { name: '', value: '', raw: false };
    const given = { ...emptyForm(), url: 'https://a.example', query: [empty], headers: [empty] };
    expect(printForm(given)).toBe('curl https://a.example');
  });

  test('values of expressions are encoded, and what is typed behind a `#` stays out of the query', () => {
    const given: CurlForm = {
      ...emptyForm(),
      url: 'https://a.example/p#top',
      query: [
        { name: 'a', value: 'b c', raw: false },
        { name: 'q', value: '$input.text', raw: false },
      ],
    };
    expect(printForm(given)).toBe("curl 'https://a.example/p?a=b%20c#top' \\\n  --url-query 'q=$input.text'");
  });

  test('an unbalanced bracket behind a reference does not make it longer', () => {
    const given: CurlForm = {
      ...emptyForm(),
      url: 'https://a.example',
      headers: [{ name: 'X-A', value: "$a(it's (" }],
    };
    expect(requireForm(printForm(given))).toEqual(given);
  });
});

test.each(['mine', 'my key', 'a-b', '1st', "Ada's key", 'the "new" key', 'a\\b', 'a]b'])(
  'the credential %s is written so that it is found again',
  (name) => {
    const value = credentialText(name);
    expect(credentialIn(value)).toBe(name);
    const given: CurlForm = { ...emptyForm(), url: 'https://a.example', auth: { kind: 'header', value } };
    expect(requireForm(printForm(given))).toEqual(given);
  },
);
