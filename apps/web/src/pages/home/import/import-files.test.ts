import { describe, expect, it } from 'vitest';
import { IMPORT_LIMIT_BYTES, readImport } from './import-files.ts';

const file = (name: string, content: string | Uint8Array<ArrayBuffer>, type = '') =>
  new File([content], name, { type });

describe('readImport', () => {
  it('reads a workflow', async () => {
    expect(await readImport(file('a.json', '{"nodes":[],"edges":[]}'))).toEqual({
      kind: 'workflow',
      name: 'a.json',
      document: { nodes: [], edges: [] },
    });
  });

  it('recognises a ZIP by its bytes, regardless of its name', async () => {
    const zip = new Uint8Array([0x50, 0x4b, 3, 4, 0]);
    expect(await readImport(file('export', zip))).toMatchObject({ kind: 'archive' });
    expect(await readImport(file('fake.zip', 'hello'))).toMatchObject({ kind: 'refused', problem: 'kind' });
  });

  it.each(['[{"nodes":[]},{"nodes":[]}]', '{"data":[{"nodes":[]}]}'])(
    'sends several workflows as one archive: %s',
    async (text) => {
      expect(await readImport(file('all.json', text))).toMatchObject({ kind: 'archive', name: 'all.json' });
    },
  );

  it('says what is wrong with other files', async () => {
    expect(await readImport(file('a.json', '{nodes'))).toMatchObject({ problem: 'json' });
    expect(await readImport(file('a.json', '[1]'))).toMatchObject({ problem: 'shape' });
    expect(await readImport(file('a.png', 'x'))).toMatchObject({ problem: 'kind' });
    const large = { name: 'a.json', size: IMPORT_LIMIT_BYTES + 1 } as File;
    expect(await readImport(large)).toMatchObject({ problem: 'size' });
  });
});
