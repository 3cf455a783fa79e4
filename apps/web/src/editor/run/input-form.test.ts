import { expect, it } from 'vitest';
import { sampleBody } from './input-form.ts';

const fields = [
  { key: 'city', default_value: 'Oslo' },
  { key: 'note', default_value: '' },
];

it('§2.1: a sample body has the declared fields, or is any JSON, as webhook_body_mode says', () => {
  expect(sampleBody('defined', fields)).toEqual({ city: 'Oslo', note: '' });
  const generic = sampleBody('generic', fields);
  expect(Object.keys(generic)).not.toHaveLength(0);
  expect(generic).not.toHaveProperty('city');
});
