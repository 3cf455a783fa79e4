import { cleanup, fireEvent, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunState } from '../../features/run-view/run-store.ts';
import { useEditor } from '../state/context.tsx';
import { showInEditor } from '../testing/show-in-editor.tsx';
import { OutputPane, useRunNode } from './output-pane.tsx';

const NODE = { id: 'a', type: 'set', position: { x: 0, y: 0 }, data: { label: 'left' } };
const START = { id: 'start', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } };

let history: (status: string | null) => Response | Promise<Response>;
let started: string[];

const serveItems = (statuses: readonly string[]) => (asked: string | null) =>
  Response.json({ items: statuses.filter((one) => one === asked).map((status) => ({ id: status, status })) });

async function answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const { pathname, searchParams } = new URL(String(input), 'http://localhost');
  if (init?.method === 'POST') {
    const until = new Headers(init.headers).get('x-run-until');
    started.push(`${pathname.split('/').slice(4).join('/')}${until === null ? '' : ` until ${until}`}`);
  }
  return pathname.endsWith('/history/all') ? history(searchParams.get('status')) : Response.json({});
}

/** The shortcut of the dialog around the pane. */
function Shortcut({ node }: { node: typeof NODE }) {
  const { run } = useRunNode(node);
  return (
    <button type="button" onClick={run}>
      Shortcut
    </button>
  );
}

const show = (node: typeof NODE) =>
  showInEditor(
    { nodes: [START, NODE], edges: [] },
    <>
      <OutputPane node={node} />
      <Shortcut node={node} />
    </>,
  );
/** A run on the canvas in which the node before ended like this; null: it never began. */
function ShownRun({ before }: { before: string | null }) {
  const { run } = useEditor();
  useEffect(() => {
    const nodes = before === null ? [] : [['start', { status: before, records: [{}] }] as const];
    run.setState({ execution_id: 'shown', phase: 'ended', nodes: new Map(nodes) } as unknown as RunState);
  }, [run, before]);
  return <OutputPane node={NODE} />;
}

const button = (name: string) => screen.findByRole<HTMLButtonElement>('button', { name });

beforeEach(() => {
  started = [];
  history = serveItems([]);
  vi.stubGlobal('fetch', vi.fn(answer));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test.each(['success', 'error'])(
  'a node can run alone after an earlier run that ended with %s',
  async (status) => {
    history = serveItems(['cancelled', status]);
    await show(NODE);
    await vi.waitFor(async () => expect((await button('Run only this node')).disabled).toBe(false));
    fireEvent.click(await button('Shortcut'));
    await vi.waitFor(() => expect(started).toEqual([expect.stringMatching(/replay$/)]));
  },
);

test('a node runs with what leads to it as long as no run has ended', async () => {
  history = serveItems(['running', 'cancelled']);
  await show(NODE);
  expect((await button('Run to here')).disabled).toBe(false);
  expect(screen.queryByRole('button', { name: 'Run only this node' })).toBeNull();
  fireEvent.click(await button('Shortcut'));
  await vi.waitFor(() => expect(started).toEqual(['execute/stream until a']));
});

test('nothing runs while it is unknown whether the node would run alone', async () => {
  history = () => new Promise(() => undefined);
  await show(NODE);
  await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
  expect((await button('Run only this node')).disabled).toBe(true);
  fireEvent.click(await button('Shortcut'));
  await Promise.resolve();
  expect(started).toEqual([]);
});

test('a node never runs with the whole workflow because its history cannot be read', async () => {
  history = () => Response.json({ detail: 'The history cannot be read' }, { status: 400 });
  await show(NODE);
  await vi.waitFor(async () => expect((await button('Run only this node')).disabled).toBe(false));
  fireEvent.click(await button('Shortcut'));
  expect((await screen.findByText('The history cannot be read')).isConnected).toBe(true);
  expect(started).toEqual([]);
});

test('a node that starts the workflow never runs alone', async () => {
  history = serveItems(['success']);
  await show(START);
  expect((await button('Run the workflow')).disabled).toBe(false);
  expect(fetch).not.toHaveBeenCalled();
});

test.each([
  ['gave something', 'success', 'Run only this node'],
  ['failed', 'error', 'Run to here'],
  ['was skipped', 'skipped', 'Run to here'],
  ['did not run', null, 'Run to here'],
])(
  'when the node before %s in the run on the canvas, that decides what is offered',
  async (_how, before, offered) => {
    const edges = [{ id: 'e', source: 'start', target: 'a' }];
    await showInEditor({ nodes: [START, NODE], edges }, <ShownRun before={before} />);
    expect((await button(offered)).disabled).toBe(false);
  },
);
