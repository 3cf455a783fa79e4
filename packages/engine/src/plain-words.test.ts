import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { plainWords } from './plain-words.ts';

const wordsFor = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value, { error: plainWords }).error?.issues[0]?.message;

const byKind = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('workflow') }),
  z.object({ kind: z.literal('node') }),
]);

describe('plainWords', () => {
  it.each<[string, z.ZodType, unknown, string]>([
    ['an absent text', z.string(), undefined, 'is missing; enter text'],
    ['a null text', z.string(), null, 'must be text'],
    ['a word for a number', z.coerce.number(), 'abc', 'must be a number'],
    ['a number beyond all bounds', z.number(), Number.POSITIVE_INFINITY, 'must be a number'],
    ['half a number', z.number().int(), 1.5, 'must be a whole number'],
    ['a word for a switch', z.boolean(), 'yes', 'must be true or false'],
    ['a list for an object', z.object({}), [], 'must be an object'],
    ['a list for named values', z.record(z.string(), z.string()), [], 'must be an object'],
    ['an object for a list', z.array(z.string()), {}, 'must be a list'],
    ['a choice', z.enum(['GET', 'POST']), 'PATCH', 'must be one of GET, POST'],
    ['the only value', z.literal(true), false, 'must be true'],
    ['an id', z.uuid(), 'x', 'must be a UUID'],
    [
      'an instant',
      z.iso.datetime(),
      'yesterday',
      'must be a time with its zone, such as 2026-01-31T10:05:09Z',
    ],
    ['an empty text', z.string().min(1), '', 'must not be empty'],
    ['a short text', z.string().min(3), 'ab', 'must have at least 3 characters'],
    ['a long text', z.string().max(1), 'ab', 'must have at most 1 character'],
    ['a long list', z.array(z.string()).max(2), ['', '', ''], 'must have at most 2 entries'],
    ['a small number', z.number().min(1), 0, 'must be at least 1'],
    ['a number at its open bound', z.number().positive(), 0, 'must be more than 0'],
    ['a large number', z.number().max(500), 501, 'must be at most 500'],
    ['a pattern', z.string().regex(/^a/), 'b', 'is not written as expected here'],
    ['a union', z.union([z.string(), z.number()]), true, 'must be text or a number'],
    ['an absent union', z.union([z.string(), z.number()]), undefined, 'is missing; enter text or a number'],
    ['a number or a word', z.union([z.number(), z.literal('draft')]), 'x', 'must be a number or draft'],
    ['a kind', byKind, { kind: 'edge' }, 'must be one of workflow, node'],
    ['an absent kind', byKind, {}, 'must be one of workflow, node'],
    [
      'objects without a kind',
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      {},
      'is none of the values that are accepted here',
    ],
  ])('names what to enter for %s', (_name, schema, value, words) => {
    expect(wordsFor(schema, value)).toBe(words);
  });

  it('names what is wrong with a key', () => {
    const schema = z.record(z.string().min(1), z.string());
    expect(wordsFor(schema, { '': 'x' })).toBe('has a name that cannot be used: must not be empty');
  });

  it('leaves a message of the schema alone', () => {
    expect(wordsFor(z.string().min(8, 'must have 8 characters or more'), 'x')).toBe(
      'must have 8 characters or more',
    );
    expect(
      wordsFor(
        z.string().refine(() => false, 'must rhyme'),
        'x',
      ),
    ).toBe('must rhyme');
  });
});
