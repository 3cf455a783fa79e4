import { afterEach, expect, test, vi } from 'vitest';
import { NO_SECRETS } from '../../../ports/run/run-secrets.ts';
import type { Services } from '../../../services.ts';
import { mapCard } from './mapper.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A provider that answers no request. */
const SILENT: Pick<Services, 'egress' | 'now' | 'run_secrets' | 'traces' | 'budgets'> = {
  traces: { note: () => undefined, flush: () => Promise.resolve() },
  now: Date.now,
  egress: {
    request: ({ signal }) =>
      new Promise((_resolve, reject) => {
        const stop = () => reject(signal.reason as Error);
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop);
      }),
  } as Partial<Services['egress']> as Services['egress'],
  budgets: { require: () => Promise.resolve(), requireLeft: () => Promise.resolve() },
  run_secrets: {
    getSecrets: () => NO_SECRETS,
    credentialById: () =>
      Promise.resolve({
        id: 'c',
        name: 'model',
        type: 'custom',
        config: { api_key: 'k', base_url: 'http://model.test' },
        expression_value: undefined,
        secrets: ['k'],
      }),
  } as Partial<Services['run_secrets']> as Services['run_secrets'],
};

test('a model that does not answer in time fails the card, and is not asked again', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeout(20));
  const mapper = { owner_id: 'o', model: 'm', credential_id: 'c' };
  const task = { body: { title: 'x' }, fields: [{ key: 'size', defaultValue: null }], instructions: '' };
  await expect(mapCard(SILENT, mapper, task)).rejects.toMatchObject({
    name: 'AppError',
    message: 'The model that maps the card to the inputs failed: it did not answer within 60 s',
  });
});
