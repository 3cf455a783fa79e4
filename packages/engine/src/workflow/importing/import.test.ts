import { describe, expect, it } from 'vitest';
import { exportDocument, exportFileName } from '../export.ts';
import { DOCUMENT_LIMITS, workflowDocument } from '../schema.ts';
import { ImportError, readImport } from './import.ts';

const a = { id: 'a', type: 'set', position: { x: 1, y: 2 }, data: { label: 'first', mappings: [] } };
const b = { id: 'b', type: 'output', position: { x: 3, y: 4 }, data: { label: 'second' } };
const edge = { id: 'e', source: 'a', target: 'b' };

describe('imports', () => {
  it.each<[string, unknown, { name?: string; description?: string }]>([
    ['nodes and edges', { nodes: [a, b], edges: [edge] }, {}],
    ['nodes and edges with a name', { name: ' Mine ', nodes: [a, b], edges: [edge] }, { name: 'Mine' }],
    ['a copied selection', { heym: true, nodes: [a, b], edges: [edge] }, {}],
    [
      'a full record',
      { id: 'w', name: 'R', description: 'D', owner_id: 'u', nodes: [a, b], edges: [edge] },
      { name: 'R', description: 'D' },
    ],
  ])('read %s', (_, json, expected) => {
    const { document, warnings, name, description } = readImport(json);
    expect(document).toEqual({ nodes: [a, b], edges: [edge] });
    expect(warnings).toEqual([]);
    expect({ name, description }).toEqual({ name: undefined, description: undefined, ...expected });
  });

  it('shorten a name that is too long, without half a character, and say so', () => {
    const { name, warnings } = readImport({ name: `${'n'.repeat(254)}😀`, nodes: [a] });
    expect(name).toBe('n'.repeat(254));
    expect(warnings).toEqual([
      { field: 'name', message: 'The name has 256 characters and was shortened to 255' },
    ]);
  });

  it('need no edges', () => {
    expect(readImport({ nodes: [a] }).document.edges).toEqual([]);
    expect(readImport({ nodes: [a], edges: null }).document.edges).toEqual([]);
  });

  it('carry settings over, old spellings replaced, and no secrets', () => {
    const record = {
      nodes: [],
      webhook_body_mode: 'legacy',
      http_method: 'PUT',
      cache_ttl_seconds: null,
      auth_header_value: 's',
      owner_id: 'u',
    };
    expect(readImport(record).settings).toEqual({ webhook_body_mode: 'defined', http_method: 'PUT' });
    expect(readImport({ nodes: [], webhook_body_mode: 'generic' }).settings).toEqual({
      webhook_body_mode: 'generic',
    });
  });

  it('§2.1: carry the start messages of nodes over', () => {
    const sse_node_config = { a: { send_start: true, start_message: 'Here we go' } };
    const { settings, warnings } = readImport({ nodes: [a], sse_enabled: true, sse_node_config });
    expect(settings).toEqual({ sse_enabled: true, sse_node_config });
    expect(warnings).toEqual([]);
  });

  it('are silent about what follows from other keys of a record', () => {
    const derived = { allow_anonymous: true, first_node_type: 'set', published: true, version_number: 3 };
    expect(readImport({ nodes: [a], ...derived }).warnings).toEqual([]);
  });

  it('make ids texts and unique, and fill missing ones', () => {
    const { document, warnings } = readImport({
      nodes: [{ ...a, id: 7 }, { ...b, id: 7 }, { type: 'set' }],
      edges: [
        { source: 7, target: '7_2' },
        { id: 'e', source: '7', target: 'node_2' },
        { id: 'e', source: '7', target: 'node_2' },
      ],
    });
    expect(document.nodes.map(({ id }) => id)).toEqual(['7', '7_2', 'node_2']);
    expect(document.edges.map(({ id }) => id)).toEqual(['edge_7_7_2_0', 'e', 'e_2']);
    expect(warnings.map(({ field }) => field)).toEqual(['nodes.1.id', 'nodes.2.data.label', 'edges.2.id']);
  });

  it('drop edges with a missing end and say so', () => {
    const { document, warnings } = readImport({
      nodes: [a],
      edges: [{ id: 'x', source: 'a', target: 'gone' }, { source: 'a' }],
    });
    expect(document.edges).toEqual([]);
    expect(warnings).toMatchObject([
      { field: 'edges.0', message: expect.stringContaining('"gone"') },
      { field: 'edges.1', message: expect.stringContaining('one end') },
    ]);
  });

  it('drop empty handles and keep the others', () => {
    const { document } = readImport({
      nodes: [a, b],
      edges: [
        { ...edge, sourceHandle: '', targetHandle: 'input-1' },
        { ...edge, id: 'f', sourceHandle: 'true', targetHandle: null },
      ],
    });
    expect(document.edges).toEqual([
      { ...edge, targetHandle: 'input-1' },
      { ...edge, id: 'f', sourceHandle: 'true' },
    ]);
  });

  it('strip what a run has left behind and keep unknown keys', () => {
    const data = {
      label: 'x',
      status: 'success',
      retryAttempt: 2,
      _initial_inputs: {},
      __private: 1,
      futureKey: { kept: [true] },
    };
    expect(readImport({ nodes: [{ ...a, data }] }).document.nodes[0]?.data).toEqual({
      label: 'x',
      futureKey: { kept: [true] },
    });
  });

  it('keep unknown keys of nodes and edges, also in an export', () => {
    const { document, warnings } = readImport({
      nodes: [{ ...a, parentNode: 'group', measured: { width: 1 } }, b],
      edges: [{ source: 'a', target: 'b', animated: true }],
    });
    expect(warnings).toEqual([]);
    const exported = exportDocument(document);
    expect(exported.nodes[0]).toMatchObject({ parentNode: 'group', measured: { width: 1 } });
    expect(exported.edges).toEqual([{ animated: true, id: 'edge_a_b_0', source: 'a', target: 'b' }]);
  });

  it('say which settings of a record are not taken over', () => {
    const { warnings } = readImport({
      nodes: [],
      id: 'x',
      auth_type: 'header_auth',
      mcp_enabled: true,
      portal_enabled: false,
      futureKey: 1,
    });
    expect(warnings.map(({ field }) => field)).toEqual(['auth_type', 'mcp_enabled', 'futureKey']);
  });

  it.each([{ nodes: [{ name: 'Start', type: 'n8n-nodes-base.start' }] }, { nodes: [], connections: {} }])(
    'refuse an export of n8n by name: %j',
    (json) => {
      expect(() => readImport(json)).toThrow(/export of n8n/);
    },
  );

  it('take no other JSON with connections for an export of n8n', () => {
    expect(() => readImport({ connections: {} })).toThrow(/Expected a list of nodes/);
  });

  it('make labels unique by a number and give every node one', () => {
    const { document } = readImport({
      nodes: [
        a,
        { ...b, data: { label: 'first' } },
        { id: 'c', type: 'wait', data: { label: ' ' } },
        { id: 'd', type: 'wait', data: { label: '__proto__' } },
      ],
    });
    expect(document.nodes.map(({ data }) => data['label'])).toEqual(['first', 'first2', 'wait', 'wait2']);
  });

  it('leave out keys that could reach a prototype, at any depth', () => {
    const json: unknown = JSON.parse(
      '{"nodes": [{"id": "a", "type": "set", "data": {"label": "l", "__proto__": {"x": 1}, "deep": [{"constructor": 1, "ok": 2}]}}]}',
    );
    const { document, warnings } = readImport(json);
    expect(document.nodes[0]?.data).toEqual({ label: 'l', deep: [{ ok: 2 }] });
    expect(warnings).toHaveLength(2);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it('put nodes without a sound position at the origin', () => {
    const { document } = readImport({
      nodes: [
        { ...a, position: { x: 'far', y: Number.NaN } },
        { ...b, position: null },
      ],
    });
    expect(document.nodes.map(({ position }) => position)).toEqual([
      { x: 0, y: 0 },
      { x: 0, y: 0 },
    ]);
  });

  it.each<[string, unknown, string]>([
    ['a text', 'nodes', ''],
    ['a list', [], ''],
    ['no nodes', { edges: [] }, 'nodes'],
    ['edges that are no list', { nodes: [], edges: {} }, 'edges'],
    ['a node that is no object', { nodes: [a, 'b'] }, 'nodes.1'],
    ['a node without a type', { nodes: [{ id: 'a' }] }, 'nodes.0.type'],
    ['a type that is too long', { nodes: [{ id: 'a', type: 'x'.repeat(101) }] }, 'nodes.0.type'],
    ['an id of another kind', { nodes: [{ id: {}, type: 'set' }] }, 'nodes.0.id'],
    ['an id that is too long', { nodes: [{ id: 'x'.repeat(256), type: 'set' }] }, 'nodes.0.id'],
    ['data that is no object', { nodes: [{ id: 'a', type: 'set', data: [] }] }, 'nodes.0.data'],
    ['an edge that is no object', { nodes: [a], edges: [1] }, 'edges.0'],
    ['too many nodes', { nodes: Array.from({ length: DOCUMENT_LIMITS.nodes + 1 }, () => a) }, 'nodes'],
  ])('refuse %s and name the place', (_, json, field) => {
    const refused = (() => {
      try {
        readImport(json);
        return null;
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toBeInstanceOf(ImportError);
    expect(refused).toMatchObject({ field });
  });

  it('refuse data that is nested without end', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 10_000; level++) deep = [deep];
    expect(() => readImport({ nodes: [{ ...a, data: { deep } }] })).toThrow('nested deeper than 100 levels');
  });

  it('of ten thousand equal labels stay fast', () => {
    const run = (): number => {
      const begin = Date.now();
      const nodes = Array.from({ length: DOCUMENT_LIMITS.nodes }, () => ({ ...a }));
      const { document } = readImport({ nodes });
      expect(document.nodes.at(-1)?.data['label']).toBe(`first${DOCUMENT_LIMITS.nodes}`);
      return Date.now() - begin;
    };
    // Another process may hold up one of them.
    expect(Math.min(run(), run(), run())).toBeLessThan(1000);
  });

  it('yield documents that may be stored', () => {
    expect(workflowDocument.safeParse(readImport({ nodes: [{ type: 'set' }] }).document).success).toBe(true);
  });
});

describe('exports', () => {
  it('are read back unchanged', () => {
    const document = { nodes: [a, b], edges: [{ ...edge, sourceHandle: 'true', targetHandle: 'input-0' }] };
    expect(readImport(exportDocument(document)).document).toEqual(document);
    expect(exportDocument(document, 'Mine').name).toBe('Mine');
    expect(exportDocument({ nodes: [], edges: [{ ...edge, sourceHandle: null }] }).edges).toEqual([edge]);
  });

  it('do not carry what a run has left behind', () => {
    const document = { nodes: [{ ...a, data: { label: 'x', status: 'error' } }], edges: [] };
    expect(exportDocument(document).nodes[0]?.['data']).toEqual({ label: 'x' });
  });

  it.each([
    ['My  Flow', 'my-flow.json'],
    ['../../etc/passwd', 'etcpasswd.json'],
    ['Übung/1', 'übung1.json'],
    ['  ', 'workflow.json'],
  ])('%s is saved as %s', (name, file) => {
    expect(exportFileName(name)).toBe(file);
  });
});

describe('exports of other products are named', () => {
  it.each([
    [
      'Node-RED',
      [
        { id: 'a', type: 'tab', label: 'Flow' },
        { id: 'b', type: 'inject', z: 'a', wires: [['c']] },
      ],
    ],
    ['Activepieces', { displayName: 'A', trigger: { name: 'trigger', type: 'EMPTY' }, schemaVersion: '1' }],
    ['Activepieces', { name: 'A', template: { displayName: 'A', trigger: { name: 'trigger' } } }],
    ['Activepieces', { name: 'A', flows: [{ displayName: 'A', trigger: { name: 'trigger' } }] }],
  ])('%s', (product, json) => {
    expect(() => readImport(json)).toThrow(`This is an export of ${product}`);
  });

  it('and a list that is none is refused as before', () => {
    expect(() => readImport([{ id: 'a' }])).toThrow('Expected a JSON object');
  });
});
