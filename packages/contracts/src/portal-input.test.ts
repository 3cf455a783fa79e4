import { describe, expect, it } from 'vitest';
import {
  inputProblem,
  listPortalFields,
  type PortalField,
  parseFile,
  takesType,
  uploadRule,
} from './portal-input.ts';

const field = (part: Partial<PortalField>): PortalField => ({ key: 'it', defaultValue: null, ...part });
const png = (letters: string) => `data:image/png;base64,${letters}`;

describe('inputProblem', () => {
  it.each<[string, Partial<PortalField>, Parameters<typeof inputProblem>[1], RegExp | undefined]>([
    ['an absent value', {}, undefined, undefined],
    ['a needed value that is absent', { required: true }, '', /filled in/],
    ['a needed value with a default', { required: true, defaultValue: 'x' }, undefined, undefined],
    ['a number', { type: 'number' }, 2.5, undefined],
    ['a text for a number', { type: 'number' }, '2', /number/],
    ['a choice', { type: 'choice', options: ['a', 'b'] }, 'b', undefined],
    ['another choice', { type: 'choice', options: ['a', 'b'] }, 'c', /one of: a, b/],
    [
      'the default value of a choice that lacks it',
      { type: 'choice', options: ['a'], defaultValue: 'd' },
      'd',
      undefined,
    ],
    ['a day', { type: 'date' }, '2028-02-29', undefined],
    ['a day that there is not', { type: 'date' }, '2027-02-29', /date/],
    ['a time', { type: 'date' }, '2027-02-28T10:00', /date/],
    ['yes', { type: 'boolean' }, true, undefined],
    ['a word for yes', { type: 'boolean' }, 'yes', /true or false/],
    ['any value of a field without a type', {}, { a: [1] }, undefined],
  ])('%s', (_what, part, value, problem) => {
    const found = inputProblem(field(part), value, undefined);
    if (problem) expect(found).toMatch(problem);
    else expect(found).toBeUndefined();
  });

  it.each([
    ['a picture', png('AAAA'), undefined],
    ['one that is too large', png('A'.repeat(2_000_000)), /more than 1 MB/],
    ['one that was not kept', png(''), /attach it again/],
    ['another type', 'data:application/zip;base64,AAAA', /allowed are: image/],
    ['another type with a name', 'data:application/zip;name="a b";base64,AAAA', /allowed are: image/],
    ['a text that is too long', 'x'.repeat(1024 * 1024 + 1), /more than 1 MB/],
    ['a text', 'x', /must be a file/],
    ['a number', 7, /must be a file/],
  ])('%s in a field for pictures', (_what, value, problem) => {
    const rule = { allowed_types: ['image'], max_bytes: 1024 * 1024 };
    const found = inputProblem(field({ type: 'file' }), value, rule);
    if (problem) expect(found).toMatch(problem);
    else expect(found).toBeUndefined();
  });
});

it.each([
  ['ä'.repeat(5), undefined],
  ['ä'.repeat(6), /more than/],
  ['😀'.repeat(2), undefined],
  ['😀😀ab', undefined],
  ['😀😀abc', /more than/],
  ['\ud800'.repeat(3), undefined],
  ['\ud800'.repeat(4), /more than/],
  [`data:text/plain,${'%C3%A4'.repeat(5)}`, undefined],
  [`data:text/plain,${'%C3%A4'.repeat(6)}`, /more than/],
  [`data:text/plain,${'ä'.repeat(6)}`, /more than/],
])('§2.1 the limit of a field is one of bytes, however its file is sent: %j', (value, problem) => {
  const found = inputProblem(field({}), value, { allowed_types: ['text'], max_bytes: 10 });
  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeUndefined();
});

it('a field for files takes texts where files of text are allowed, and nothing where files are off', () => {
  const it = field({ type: 'file' });
  for (const type of ['text', 'any', 'text/csv', 'application/xml'])
    expect(inputProblem(it, 'x', { allowed_types: ['image', type], max_bytes: 9 })).toBeUndefined();
  expect(inputProblem(it, png('AAAA'), undefined)).toMatch(/takes no files/);
  expect(inputProblem(it, '', undefined)).toBeUndefined();
});

it.each([
  ['data:image/png;base64,AAAA', { media_type: 'image/png', bytes: 3 }],
  ['data:image/png;base64,AAA=', { media_type: 'image/png', bytes: 2 }],
  ['data:text/plain;charset=utf-8,abc', { media_type: 'text/plain', bytes: 3 }],
  ['data:application/zip;name="a b";base64,AAAA', { media_type: 'application/zip', bytes: 3 }],
  [`data:application/zip;name=${'x'.repeat(400)};base64,AAAA`, { media_type: 'application/zip', bytes: 3 }],
  [' DATA:IMAGE/PNG;base64,AAAA', { media_type: 'image/png', bytes: 3 }],
  ['data: a zip;base64,AAAA', { media_type: 'application/octet-stream', bytes: 3 }],
  ['data: of our customers', undefined],
  ['data: of our customers, of others; and more', undefined],
  ['database, please', undefined],
  [7, undefined],
])('%s as a file', (value, file) => {
  expect(parseFile(value)).toEqual(file);
});

it.each([
  ['text', 'text/csv', true],
  ['text', 'application/json', true],
  ['text', 'image/png', false],
  ['image', 'image/png', true],
  ['pdf', 'application/pdf', true],
  ['any', 'application/zip', true],
  ['audio/*', 'audio/ogg', true],
  ['audio/ogg', 'audio/mp3', false],
])('allowing %s takes %s: %s', (allowed, media_type, taken) => {
  expect(takesType({ allowed_types: [allowed], max_bytes: 1 }, media_type)).toBe(taken);
});

it('uploads are ruled by the setting of their field; a field for files has one of its own', () => {
  const setting = { file_upload_enabled: true, allowed_types: ['pdf'], max_size_mb: 2 };
  const on = {
    file_upload_enabled: true,
    file_config: { a: setting, b: { ...setting, file_upload_enabled: false } },
  };
  expect(uploadRule(on, { key: 'a' })).toEqual({ allowed_types: ['pdf'], max_bytes: 2 * 1024 * 1024 });
  expect(uploadRule(on, { key: 'b', type: 'file' })).toBeUndefined();
  expect(uploadRule(on, { key: 'c' })).toBeUndefined();
  expect(uploadRule(on, { key: 'c', type: 'file' })?.allowed_types).toContain('image');
  expect(uploadRule({ ...on, file_upload_enabled: false }, { key: 'a' })).toBeUndefined();
  expect(uploadRule(on, { key: 'constructor' })).toBeUndefined();
});

it('§4.4 reads the fields of start nodes of type textInput, each key once, and passes over what it cannot use', () => {
  let last = 0;
  const node = (type: string, data: object) => ({ id: `n${++last}`, type, data: { ...data } });
  const start = (inputFields: unknown, data = {}) => node('textInput', { inputFields, ...data });
  const nodes = [
    start([
      { key: 'when', type: 'date', label: ' When? ', required: true },
      { key: 'size', type: 'choice', options: ['S', 'M', 3], defaultValue: 'M' },
      { key: 'odd', type: 'picture', label: 7, required: 'yes', options: ['x'] },
      { key: '' },
      'text',
    ]),
    start([{ key: 'when' }]),
    start([{ key: 'off' }], { active: false }),
    node('cron', { inputFields: [{ key: 'no' }] }),
  ];
  const edges = [{ source: 'deleted', target: 'n1' }];
  expect(listPortalFields({ nodes, edges })).toEqual([
    { key: 'when', defaultValue: null, type: 'date', label: 'When?', required: true },
    { key: 'size', defaultValue: 'M', type: 'choice', options: ['S', 'M'] },
    { key: 'odd', defaultValue: null },
  ]);
});
