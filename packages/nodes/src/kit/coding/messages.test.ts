import { expect, test } from 'vitest';
import { Messages, type Said } from './messages.ts';

function heard(...pieces: (string | Uint8Array)[]): Said[] {
  const all: Said[] = [];
  const messages = new Messages((message) => all.push(message));
  for (const piece of pieces)
    messages.take(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
  return all;
}

test('messages come in pieces, and several in one', () => {
  const text =
    '{"type":"stage","stage":"setup"}\n{"type":"event","event":{"text":"Grüße"}}\n{"type":"needs_archive"}\n';
  const whole = [
    { type: 'stage', stage: 'setup' },
    { type: 'event', event: { text: 'Grüße' } },
    { type: 'needs_archive' },
  ];
  expect(heard(text)).toEqual(whole);
  expect(heard(...[...new TextEncoder().encode(text)].map((byte) => Uint8Array.of(byte)))).toEqual(whole);
});

const end = (file: object) =>
  JSON.stringify({ type: 'end', stage: 'agent', exit_code: 0, end: '', diff: '', files: [file] });

test.each([
  ['no JSON', 'hello'],
  ['broken JSON', '{"type":'],
  ['another value', '[]'],
  ['an unknown type', '{"type":"run"}'],
  ['a missing field', '{"type":"end","stage":"agent"}'],
  ['a path that leaves the repository', end({ path: '../../etc/passwd', mode: '100644' })],
  ['an absolute path', end({ path: '/etc/passwd', mode: '100644' })],
  ["one of git's own files", end({ path: 'a/.GIT/config', mode: '100644' })],
  ['a mode that git does not have', end({ path: 'a', mode: '160000' })],
])('%s, which an agent may write by itself, is dropped', (_title, line) => {
  expect(heard(`${line}\n{"type":"needs_archive"}\n`)).toEqual([{ type: 'needs_archive' }]);
});

test('a line without an end does not grow here', () => {
  const long = 'x'.repeat(1_000_000);
  expect(heard(...Array.from({ length: 30 }, () => long), '\n{"type":"needs_archive"}\n')).toEqual([
    { type: 'needs_archive' },
  ]);
});
