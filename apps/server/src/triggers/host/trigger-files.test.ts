import { expect, test } from 'vitest';
import { createWorkflow, graph } from '../../resources/executions/testing/workflows.ts';
import { useTestApp } from '../../testing/test-app.ts';
import { triggerOfNode } from './hosted-trigger.ts';
import { triggerFiles } from './trigger-files.ts';

const app = await useTestApp({ env: { FILE_MAX_SIZE_MB: '1' } });
const owner = await app.user();

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

test('what a trigger stores is a file of the owner with a link; what started no run is removed', async () => {
  const id = await createWorkflow(owner, graph([['mail', 'imapTrigger']], []));
  const trigger = await triggerOfNode(app.services.database.sql, id, 'mail');
  if (!trigger) throw new Error('no trigger');
  const files = triggerFiles(app.services, trigger);
  expect(files.max_bytes).toBe(1024 * 1024);
  const stored = await files.store({ filename: '../a.csv', body: once('a;b') });
  expect((await owner.call('GET', `/api/files/${stored.id}`)).json()).toMatchObject({
    filename: 'a.csv',
    workflow_id: id,
    is_shared: false,
  });
  expect((await app.call('GET', stored.download_url)).body).toBe('a;b');
  await files.discard(stored.id);
  expect((await owner.call('GET', `/api/files/${stored.id}`)).statusCode).toBe(404);
  expect((await app.call('GET', stored.download_url)).statusCode).toBe(404);
});
