import { expect, test } from 'vitest';
import { runNode, TEST_NOW, traceNode } from '../testing/run-node.ts';

test('waits with an address, its end and its limits', async () => {
  const data = { ttlMinutes: '5', maxSizeMb: 2, allowedTypes: ' Image/*, .CSV ,' };
  const { result } = await traceNode('fileUploadTrigger', data, { decisions: 'none' });
  const upload_url = 'https://test/uploads/upload';
  expect(result).toMatchObject({
    suspension: {
      kind: 'upload',
      due_at: TEST_NOW + 300_000,
      payload: {
        file_upload_required: true,
        upload_url,
        curl: `curl -F "file=@your-file" "${upload_url}"`,
        expires_at: new Date(TEST_NOW + 300_000).toISOString(),
        max_size_mb: 2,
        allowed_types: ['image/*', '.csv'],
      },
    },
  });
});

test('an address that no file arrives at leads to the output "expired"', async () => {
  expect(await runNode('fileUploadTrigger', {})).toEqual({ output: { expired: true }, ports: ['expired'] });
});

test.each([
  { ttlMinutes: 0 },
  { ttlMinutes: 10_081 },
  { ttlMinutes: 1.5 },
  { maxSizeMb: 0 },
  { maxSizeMb: 101 },
])('%o is out of bounds', async (data) => {
  expect(await runNode('fileUploadTrigger', data)).toMatchObject({ failure: { kind: 'params' } });
});
