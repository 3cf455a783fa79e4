import { expect, test } from 'vitest';
import { shareTestApp } from '../../testing/index.ts';

const app = await shareTestApp();
const user = await app.user();

const bearer = { type: 'bearer', config: { bearer_token: 'a-bearer-token' } };

test.each([
  ['skills', 'PATCH', {}],
  ['credentials', 'PUT', bearer],
  ['data-tables', 'PUT', { columns: [{ name: 'a', type: 'string' }] }],
] as const)('of two %s that get the same name at once, one is refused', async (kind, method, more) => {
  const made = async (name: string) => {
    const answer = await user.call('POST', `/api/${kind}`, { name, ...more });
    return `/api/${kind}/${answer.json<{ id: string }>().id}`;
  };
  for (let round = 0; round < 5; round++) {
    const addresses = [await made(`one ${round}`), await made(`other ${round}`)];
    const name = `both ${round}`;
    const answers = await Promise.all(addresses.map((address) => user.call(method, address, { name })));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409]);
  }
});
