import { createMasker } from '@millrace/engine';
import { expect, it } from 'vitest';
import type { Frame } from './frames.ts';
import { GrowingTexts } from './growing-texts.ts';

const SECRET = 'sk-live-4f9a8b7c6d5e';
const PLACE = { node: { id: 'ask', label: 'ask' }, iteration: '', step: 'call' };

/** The text that a reader has after these frames. */
const joinFrames = (frames: readonly Frame[]): string =>
  frames.reduce((read, { data: { offset, text } }) => {
    expect([0, read.length]).toContain(offset);
    return (offset === 0 ? '' : read) + String(text);
  }, '');

function growing() {
  const told: Frame[] = [];
  const readers = { isFollowed: true };
  const texts = new GrowingTexts({
    isFollowed: () => readers.isFollowed,
    tell: (frame) => told.push(frame),
  });
  const secrets = { masker: createMasker([]) };
  return { told, readers, texts, secrets, text: texts.begin(PLACE, secrets) };
}

it('a reader that comes after a secret became known takes nothing from those that were there', () => {
  const { told, texts, secrets, text } = growing();
  text.add(`The key is ${SECRET}.`);
  secrets.masker = createMasker([SECRET]);
  const late = texts.frames();
  text.add(' Keep it.');
  text.end();
  expect(joinFrames(told)).toBe('The key is sk-live**. Keep it.');
  expect(joinFrames([...late, ...told.slice(-1)])).toBe('The key is sk-live**. Keep it.');
});

it('the first reader gets the text so far once', () => {
  const { told, readers, texts, text } = growing();
  readers.isFollowed = false;
  text.add('Good');
  const first = texts.frames();
  expect(told).toEqual([]);
  readers.isFollowed = true;
  text.add(' day');
  text.end();
  expect(joinFrames([...first, ...told])).toBe('Good day');
  expect(texts.frames()).toEqual([]);
});
