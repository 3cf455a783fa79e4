import type { JsonObject, WorkflowDocument } from '@millrace/engine';
import type { TestUser } from '../../../testing/test-app.ts';

type Data = JsonObject;

/** A graph in short: `nodes` as `[id, type, data]`, `edges` as `'a>b'`, `'a:true>b'` or `'b>a:loop'`. */
export function graph(
  nodes: readonly (readonly [string, string, Data?])[],
  edges: readonly string[],
): WorkflowDocument {
  return {
    nodes: nodes.map(([id, type, data = {}]) => ({
      id,
      type,
      position: { x: 0, y: 0 },
      data: { label: id, ...data },
    })),
    edges: edges.map((text, at) => {
      const [from = '', to = ''] = text.split('>');
      const [source = '', sourceHandle] = from.split(':');
      const [target = '', targetHandle] = to.split(':');
      return {
        id: `e${at}`,
        source,
        target,
        ...(sourceHandle ? { sourceHandle } : {}),
        ...(targetHandle ? { targetHandle } : {}),
      };
    }),
  };
}

/** textInput, set, output: the shortest graph that does something. */
export const ECHO = graph(
  [
    ['start', 'textInput'],
    ['shape', 'set', { mappings: [{ key: 'text', value: '$input.body.text' }] }],
    ['out', 'output', { message: '$shape.text' }],
  ],
  ['start>shape', 'shape>out'],
);

/** Fails with the text that it is given, unless that is "fine". */
export const PICKY = graph(
  [
    ['start', 'textInput'],
    ['check', 'condition', { condition: '$input.body.text == "fine"' }],
    ['stop', 'throwError', { errorMessage: '$start.body.text' }],
    ['out', 'output', { message: 'ok' }],
  ],
  ['start>check', 'check:true>out', 'check:false>stop'],
);

/** Calls the draft of the workflow. */
export const RUN_DRAFT = { 'x-run-draft': 'true' };

/** Saves a draft that does what the graph does: its nodes are at another place. */
export async function saveMovedDraft(
  owner: TestUser,
  id: string,
  { nodes, edges }: WorkflowDocument,
): Promise<void> {
  const moved = nodes.map((node) => ({ ...node, position: { x: 7, y: 7 } }));
  const saved = await owner.call('PUT', `/api/workflows/${id}?draft=true`, { nodes: moved, edges });
  if (saved.statusCode !== 200) throw new Error(`saving a draft answered ${saved.body}`);
}

/** Creates a workflow with a graph and settings; anonymous by default. */
export async function createWorkflow(
  owner: TestUser,
  content: WorkflowDocument,
  settings: Data = {},
): Promise<string> {
  const created = await owner.call('POST', '/api/workflows', { name: 'Test workflow' });
  if (created.statusCode !== 201) throw new Error(`creating a workflow answered ${created.body}`);
  const { id } = created.json<{ id: string }>();
  const saved = await owner.call('PUT', `/api/workflows/${id}`, {
    auth_type: 'anonymous',
    ...content,
    ...settings,
  });
  if (saved.statusCode !== 200) throw new Error(`saving a workflow answered ${saved.body}`);
  return id;
}

export const executeUrl = (id: string, rest = ''): string => `/api/workflows/${id}/execute${rest}`;

/** Frames of a finished stream, heartbeats left out. */
export function parseFrames(body: string): { id: number | undefined; data: Data & { type: string } }[] {
  return body
    .split('\n\n')
    .filter((block) => block.includes('data: '))
    .map((block) => {
      const id = /^id: (\d+)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1] ?? '';
      return {
        id: id === undefined ? undefined : Number(id),
        data: JSON.parse(data) as Data & { type: string },
      };
    });
}

/** Waits until something becomes true; runs end on their own time. */
export async function until<T>(read: () => Promise<T | undefined | false>, timeout_ms = 15_000): Promise<T> {
  const ends = Date.now() + timeout_ms;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > ends) throw new Error('it did not become true in time');
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}
