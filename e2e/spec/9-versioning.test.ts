import { allEndpoints } from '@millrace/contracts';
import { useTestApp } from '@millrace/server/testing';
import { describe, expect, it } from 'vitest';

const app = await useTestApp();
const user = await app.user();

describe('§9 versioning', () => {
  it('§9: paths carry no version segment', () => {
    const paths = allEndpoints.flatMap((endpoint) => [endpoint.path, ...(endpoint.aliases ?? [])]);
    expect(paths.length).toBeGreaterThan(20);
    expect(paths.filter((path) => /\/v\d+(\/|$)/i.test(path))).toEqual([]);
  });

  it('§9: the http_method default is POST also for an imported workflow that never heard of the setting', async () => {
    const imported = await user.call('POST', '/api/workflows/import', { name: 'Old', nodes: [], edges: [] });
    expect(imported.json().workflow.http_method).toBe('POST');
  });
});
