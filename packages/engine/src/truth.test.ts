import { expect, it } from 'vitest';
import { readTruth } from './truth.ts';

it.each(['true', '1', 'yes', 'on', ' TRUE ', 'On'])('takes "%s" as true', (text) => {
  expect(readTruth(text)).toBe(true);
});

it.each(['false', '0', 'no', 'off', '', ' ', 'OFF'])('takes "%s" as false', (text) => {
  expect(readTruth(text)).toBe(false);
});

it.each(['2', 'y', 'enabled', 'null'])('does not guess what "%s" means', (text) => {
  expect(readTruth(text)).toBeUndefined();
});
