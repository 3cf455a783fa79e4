import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  guid: 'a UUID',
  email: 'an e-mail address',
  url: 'an address such as https://example.com',
  datetime: 'a time with its zone, such as 2026-01-31T10:05:09Z',
  date: 'a date such as 2026-01-31',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  base64: 'text in base64',
};

const COUNTED: Readonly<Record<string, [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  set: ['entry', 'entries'],
  map: ['entry', 'entries'],
};

function bound(
  issue: { origin: string; inclusive?: boolean | undefined },
  limit: number | bigint,
  words: { at: string; beyond: string },
): string {
  const counted = COUNTED[issue.origin];
  if (counted) return `must have ${words.at} ${limit} ${limit === 1 ? counted[0] : counted[1]}`;
  return `must be ${issue.inclusive === false ? words.beyond : words.at} ${limit}`;
}

function tooSmall(issue: Extract<Issue, { code: 'too_small' }>): string {
  if (Number(issue.minimum) === 1 && issue.origin in COUNTED) return 'must not be empty';
  return bound(issue, issue.minimum, { at: 'at least', beyond: 'more than' });
}

function describeValues(values: readonly unknown[]): string {
  const [only] = values;
  if (values.length === 1) return `must be ${String(only)}`;
  return `must be one of ${values.map(String).join(', ')}`;
}

const ENTER = 'is missing; enter ';
const MUST_BE = 'must be ';

/** The words after the prefix in the only complaint of each option; nothing when an option says something else. */
function expectedBy(options: readonly z.core.$ZodIssue[][], prefix: string): string | undefined {
  const expected = options.map(([issue, ...more]) =>
    issue && more.length === 0 && issue.path.length === 0 && issue.message.startsWith(prefix)
      ? issue.message.slice(prefix.length)
      : undefined,
  );
  if (expected.length === 0 || expected.includes(undefined)) return undefined;
  return [...new Set(expected)].join(' or ');
}

function describeUnion(issue: Extract<Issue, { code: 'invalid_union' }>): string {
  // Only a union of objects with a kind lists its options.
  if (Array.isArray(issue.options) && issue.options.length > 0) return describeValues(issue.options);
  for (const prefix of [ENTER, MUST_BE]) {
    const expected = expectedBy(issue.errors, prefix);
    if (expected) return prefix + expected;
  }
  return 'is none of the values that are accepted here';
}

/**
 * A zod issue as a sentence that follows the name of a field and states what to enter. Passed to `safeParse`
 * as `error`; schemas with their own message keep it.
 */
export function plainWords(issue: Issue): string | undefined {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = EXPECTED[issue.expected] ?? issue.expected;
      return (issue.input === undefined ? ENTER : MUST_BE) + expected;
    }
    case 'invalid_value':
      return describeValues(issue.values);
    case 'invalid_format': {
      const expected = FORMATS[issue.format];
      return expected === undefined ? 'is not written as expected here' : `must be ${expected}`;
    }
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return bound(issue, issue.maximum, { at: 'at most', beyond: 'less than' });
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `has fields that are not known here: ${issue.keys.join(', ')}`;
    case 'invalid_key':
      return `has a name that cannot be used: ${issue.issues[0]?.message ?? 'choose another one'}`;
    case 'invalid_union':
      return describeUnion(issue);
    case 'invalid_element':
      return 'is none of the values that are accepted here';
    default:
      return undefined;
  }
}
