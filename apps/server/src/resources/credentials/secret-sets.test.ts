// cspell:ignore unna
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryBroadcast } from '../../adapters/memory/broadcast.ts';
import { createHandClock } from '../../testing/hand-clock.ts';
import { shareTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { createWorkflow, graph } from '../executions/testing/workflows.ts';
import { createSecretSets } from './secret-sets.ts';

const SECRET = 'sk-unnamed-0123456789';

describe('§5.8: any credential value is masked, whether the graph names it or not', () => {
  let app: TestApp;
  let owner: TestUser;
  let url: string;
  beforeAll(async () => {
    app = await shareTestApp();
    owner = await app.user();
    const echo = graph(
      [
        ['in', 'textInput'],
        ['out', 'output', { message: '$in.text' }],
      ],
      ['in>out'],
    );
    url = `/api/workflows/${await createWorkflow(owner, echo)}`;
  });
  afterAll(() => app.close());

  const echoed = async () => {
    const answer = await owner.call('POST', `${url}/execute`, { text: `key ${SECRET}` });
    return answer.json<{ outputs: { out: { result: unknown } } }>().outputs.out.result;
  };

  test('an own one from the moment of its creation to that of its deletion', async () => {
    expect(await echoed()).toBe(`key ${SECRET}`);
    const created = await owner.call('POST', '/api/credentials', {
      name: 'Unnamed',
      type: 'bearer',
      config: { bearer_token: SECRET },
    });
    const { id } = created.json<{ id: string }>();
    expect(await echoed()).toBe('key sk-unna**');
    await owner.call('DELETE', `/api/credentials/${id}`);
    expect(await echoed()).toBe(`key ${SECRET}`);
  });

  test('one that is shared with the person, until it is taken back', async () => {
    const other = await app.user();
    const created = await other.call('POST', '/api/credentials', {
      name: 'Theirs',
      type: 'bearer',
      config: { bearer_token: SECRET },
    });
    const shares = `/api/credentials/${created.json<{ id: string }>().id}/shares`;
    expect(await echoed()).toBe(`key ${SECRET}`);
    await other.call('POST', shares, { email: owner.email });
    expect(await echoed()).toBe('key sk-unna**');
    await other.call('DELETE', `${shares}/${owner.id}`);
    expect(await echoed()).toBe(`key ${SECRET}`);
  });

  test('and the input that history keeps is masked too', async () => {
    await owner.call('POST', '/api/credentials', {
      name: 'Kept',
      type: 'bearer',
      config: { bearer_token: SECRET },
    });
    expect(await echoed()).toBe('key sk-unna**');
    const { rows } = await app.services.database.sql.query<{ input: string }>({
      text: 'SELECT input FROM runs ORDER BY started_at DESC, id DESC LIMIT 1',
    });
    expect(rows[0]?.input).toContain('sk-unna**');
    expect(rows[0]?.input).not.toContain(SECRET);
  });
});

describe('sets of secrets', () => {
  function setup() {
    const changes = createHandClock();
    const broadcast = createMemoryBroadcast();
    const stored = { tokens: ['t1'], values: ['first-secret'] };
    let reads = 0;
    let compiles = 0;
    const sets = createSecretSets({
      changes,
      broadcast,
      read: () => {
        reads += 1;
        const { tokens, values } = stored;
        return Promise.resolve({
          fingerprint: tokens.join(' '),
          values: () => {
            compiles += 1;
            return values;
          },
        });
      },
    });
    return { changes, broadcast, stored, sets, counts: () => ({ reads, compiles }) };
  }

  test('are read once and answered without a promise from then on', async () => {
    const { sets, counts } = setup();
    const [one, two] = await Promise.all([sets.of('u'), sets.of('u')]);
    expect(one).toBe(two);
    expect(sets.of('u')).toBe(one);
    expect(counts()).toEqual({ reads: 1, compiles: 1 });
  });

  test('a change at another process makes them be read again, and compiled only if they differ', async () => {
    const { sets, changes, stored, counts } = setup();
    const first = await sets.of('u');
    changes.seen += 1;
    expect(await sets.of('u')).toBe(first);
    expect(counts()).toEqual({ reads: 2, compiles: 1 });
    changes.seen += 1;
    Object.assign(stored, { tokens: ['t2'], values: ['other-secret'] });
    expect([...(await sets.of('u')).values]).toEqual(['other-secret']);
    expect(counts()).toEqual({ reads: 3, compiles: 2 });
  });

  test('what was being read when a change came is not kept', async () => {
    const { sets, broadcast, stored } = setup();
    const early = sets.of('u');
    broadcast.publish('access_changed', 'user:u');
    Object.assign(stored, { tokens: ['t2'], values: ['other-secret'] });
    expect([...(await sets.of('u')).values]).toEqual(['other-secret']);
    await early;
    expect([...(await sets.of('u')).values]).toEqual(['other-secret']);
  });
});
