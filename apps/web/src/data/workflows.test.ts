import type { Workflow } from '@millrace/contracts';
import { afterEach, expect, test, vi } from 'vitest';
import { createQueryClient } from './query-client.ts';
import { keepDraft, workflowQuery } from './workflows.ts';

const ID = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10';
const create = (name: string, updated_at: string) =>
  ({ id: ID, name, updated_at }) as Partial<Workflow> as Workflow;

afterEach(() => vi.unstubAllGlobals());

test('an answer on its way, from before a save, does not take the place of what was saved', async () => {
  let answer: (response: Response) => void = () => undefined;
  const fetched = vi.fn(() => new Promise<Response>((resolve) => (answer = resolve)));
  vi.stubGlobal('fetch', fetched);
  const client = createQueryClient();
  const query = workflowQuery(ID);
  client.setQueryData(query.queryKey, create('Before', '2026-01-01T00:01:00.000Z'));
  const look = client.fetchQuery({ ...query, staleTime: 0 }).catch(() => undefined);
  await vi.waitFor(() => expect(fetched).toHaveBeenCalledOnce());
  const saved = create('Renamed', '2026-01-01T00:02:00.000Z');
  await keepDraft(client, saved);
  answer(Response.json(create('Before', '2026-01-01T00:01:00.000Z')));
  await look;
  await new Promise((resolve) => setTimeout(resolve));
  expect(client.getQueryData(query.queryKey)).toEqual(saved);
});
