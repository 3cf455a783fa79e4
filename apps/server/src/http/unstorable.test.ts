// cspell:ignore execut
import { allEndpoints } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { openEmbeddedForTest } from '../testing/embedded-database.ts';
import { useOwnTestApp } from '../testing/test-app.ts';

// The embedded database took seconds to refuse such a text, in which it answered no one else.
const app = await useOwnTestApp({ database: await openEmbeddedForTest() });
const user = await app.user();

const withPath = allEndpoints.filter(({ path }) => path.includes('{'));

test.each(withPath.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  '§7: a NUL character in the address of %s leads to nothing',
  async (_, { method, path }) => {
    const asked = Date.now();
    const answer = await user.call(method, path.replace(/\{\w+\}/g, '%00'));
    // Addresses of runs say what they expect in place of it, before they ask for anything.
    expect(path.includes('execut') ? [404, 422] : [404], answer.body).toContain(answer.statusCode);
    expect(Date.now() - asked).toBeLessThan(1_000);
  },
);

test('§7: a NUL character in a parameter of the query is refused by its name', async () => {
  const answer = await user.call('GET', '/api/workflows?search=a%00b');
  expect(answer.statusCode).toBe(422);
  expect(answer.json()).toMatchObject({ detail: [{ loc: ['query', 'search'] }] });
});

test('§7: a NUL character in a body is refused by its name, and a run may be given one', async () => {
  const answer = await user.call('POST', '/api/workflows', { name: 'a\0b' });
  expect(answer.statusCode).toBe(422);
  expect(answer.json()).toMatchObject({ detail: [{ loc: ['body', 'name'] }] });
});
