import type { Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, render } from '@testing-library/react';
import { Suspense, useEffect } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createQueryClient } from '../../data/query-client.ts';
import { createDocumentStore, type DocumentStore } from '../../features/document/store.ts';
import { LanguageProvider } from '../../i18n/provider.tsx';
import { listenToToasts } from '../../ui/testing/listen-to-toasts.ts';
import type { Saving } from './saving.ts';
import { useSaving } from './use-saving.ts';

const ID = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10';
const graph = (left: string, right = 'r'): WorkflowDocument => ({
  nodes: [
    { id: 'a', type: 'set', position: { x: 0, y: 0 }, data: { label: 'left', value: left } },
    { id: 'b', type: 'set', position: { x: 300, y: 0 }, data: { label: 'right', value: right } },
  ],
  edges: [],
});
const stored = (document: WorkflowDocument, minute: number, name = 'One') =>
  ({
    id: ID,
    name,
    updated_at: `2026-01-01T00:0${minute}:00.000Z`,
    ...document,
  }) as Partial<Workflow> as Workflow;

/** The workflow that the server has; a save that builds on an older state is refused. */
let server: Workflow;
let savedByMe: boolean;
const sent: { base_updated_at: string; nodes: unknown }[] = [];
const toasts: string[] = [];
let disconnect: () => void;
let saving: Saving;
let store: DocumentStore;

async function answer(_input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  if (init?.method !== 'PUT') return Response.json([]);
  const body = JSON.parse(String(init.body)) as WorkflowDocument & { base_updated_at: string };
  sent.push(body);
  if (body.base_updated_at !== server.updated_at) {
    const detail = { message: 'no', graph_saved_by_you: savedByMe, current: server };
    return Response.json({ detail, code: 'conflict', request_id: 'r' }, { status: 409 });
  }
  server = stored({ nodes: body.nodes, edges: body.edges }, 9, server.name);
  return Response.json(server);
}

function Session({ workflow, onOpen }: { workflow: Workflow; onOpen: () => void }) {
  const current = useSaving(store, { workflow, base_updated_at: workflow.updated_at, user_id: 'me' });
  useEffect(() => {
    saving = current;
    onOpen();
  });
  return null;
}

let show: (workflow: Workflow) => Promise<void>;

async function open(workflow: Workflow): Promise<void> {
  let isOpen = false;
  const onOpen = () => {
    isOpen = true;
  };
  const client = createQueryClient();
  const lay = (current: Workflow) => (
    <QueryClientProvider client={client}>
      <LanguageProvider>
        <Suspense>
          <Session workflow={current} onOpen={onOpen} />
        </Suspense>
      </LanguageProvider>
    </QueryClientProvider>
  );
  const { rerender } = await act(async () => render(lay(workflow)));
  show = (current) => act(async () => rerender(lay(current)));
  await vi.waitFor(() => expect(isOpen).toBe(true));
}
const write = (document: WorkflowDocument) => act(() => void store.getState().edit(() => document));
const save = () => act(() => saving.save());
const listValues = (document: Pick<WorkflowDocument, 'nodes'>) =>
  document.nodes.map(({ data }) => data['value']);

beforeEach(async () => {
  savedByMe = false;
  sent.length = 0;
  toasts.length = 0;
  localStorage.clear();
  disconnect = listenToToasts((toast) => void toasts.push(toast.text));
  vi.stubGlobal('fetch', answer);
  server = stored(graph('l'), 1);
  store = createDocumentStore(graph('l'));
  await open(server);
});
afterEach(() => {
  disconnect();
  cleanup();
  vi.unstubAllGlobals();
});

test('what is written is saved, and the next save builds on the answer', async () => {
  write(graph('mine'));
  expect(saving.state).toBe('unsaved');
  expect(await save()).toBe(true);
  expect(saving.state).toBe('saved');
  write(graph('again'));
  expect(await save()).toBe(true);
  expect(sent.map(({ base_updated_at }) => base_updated_at)).toEqual([
    stored(graph('l'), 1).updated_at,
    stored(graph('l'), 9).updated_at,
  ]);
  expect(toasts).toEqual([]);
});

test.each([
  [false, /^Someone else saved .* merged/],
  [true, /^You saved this workflow .* merged/],
])('another place that was saved meanwhile is merged and told (by oneself: %s)', async (own, said) => {
  savedByMe = own;
  server = stored(graph('l', 'theirs'), 2);
  write(graph('mine'));
  expect(await save()).toBe(true);
  expect(listValues(store.getState().document)).toEqual(['mine', 'theirs']);
  expect(listValues(server as never)).toEqual(['mine', 'theirs']);
  expect(toasts).toEqual([expect.stringMatching(said)]);
});

test('a graph that arrives while there are unsaved changes is shown once they are undone', async () => {
  write(graph('mine'));
  await show(stored(graph('l', 'theirs'), 2));
  expect(listValues(store.getState().document)).toEqual(['mine', 'r']);
  act(() => store.getState().undo());
  expect(listValues(store.getState().document)).toEqual(['l', 'theirs']);
  expect(toasts).toEqual([expect.stringMatching(/^The canvas now shows/)]);
});

test('a name that was changed meanwhile is built on without a word', async () => {
  server = stored(graph('l'), 2, 'Renamed');
  write(graph('mine'));
  expect(await save()).toBe(true);
  expect(server.name).toBe('Renamed');
  expect(toasts).toEqual([]);
});
