import type { CostEstimate, ImportReport } from '@millrace/contracts';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { ReactFlowProvider } from '@xyflow/react';
import { useEffect } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { useEditor } from '../state/context.tsx';
import { showInEditor } from '../testing/show-in-editor.tsx';
import { Side } from './side.tsx';

const REPORT: ImportReport = {
  imported_at: '2026-01-02T03:04:05.000Z',
  lines: [
    { node_id: 'send', field: 'nodes.1.type', message: 'Send: It was kept as it is' },
    { node_id: null, field: 'settings.timezone', message: 'The time zone was set in the schedules' },
    { node_id: 'gone', field: 'nodes.2.notes', message: 'Old: Its note was left out' },
  ],
};

const NO_ESTIMATE: CostEstimate = {
  basis: 'none',
  up_to_usd: null,
  median_usd: null,
  runs: 0,
  unlimited_nodes: [],
  unpriced_nodes: [],
  starting_nodes: [],
};

let editor: ReturnType<typeof useEditor>;
let report: ImportReport | null;
let refusal: Response | undefined;
const sent: string[] = [];

/** The service, as far as the side of the editor asks it. */
async function answer(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const [url, method] = [String(input), init?.method ?? 'GET'];
  if (url.includes('/cost-estimate')) return Response.json(NO_ESTIMATE);
  if (url.includes('/budget-use')) return Response.json({ items: [] });
  if (!url.includes('/import-report')) return Response.json([]);
  sent.push(method);
  if (method === 'GET') return Response.json({ report });
  if (refusal) return refusal;
  report = null;
  return new Response(null, { status: 204 });
}

function Shown() {
  const shown = useEditor();
  useEffect(() => {
    editor = shown;
  });
  return (
    <ReactFlowProvider>
      <Side />
    </ReactFlowProvider>
  );
}

const node = (id: string) => ({ id, type: 'set', position: { x: 0, y: 0 }, data: { label: id } });
const show = () => showInEditor({ nodes: [node('start'), node('send')], edges: [] }, <Shown />);
/** The first test loads the texts and the panel. */
const PATIENTLY = { timeout: 10_000 };
const tab = (name: RegExp) => screen.queryByRole('tab', { name });
const lines = () => within(screen.getByRole('list', { name: 'Import report' })).getAllByRole('listitem');
async function openReport(): Promise<void> {
  await show();
  const found = await screen.findByRole('tab', { name: /^Import/ }, PATIENTLY);
  act(() => editor.view.getState().show('import'));
  expect(found.getAttribute('aria-selected')).toBe('true');
  await screen.findByRole('list', { name: 'Import report' }, PATIENTLY);
}

beforeEach(() => {
  report = REPORT;
  refusal = undefined;
  sent.length = 0;
  vi.stubGlobal('fetch', answer);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('a workflow without a report has no tab for it', async () => {
  report = null;
  await show();
  await vi.waitFor(() => expect(sent).toEqual(['GET']));
  await screen.findByRole('tab', { name: 'Outline' });
  expect(tab(/^Import/)).toBeNull();
});

test('lines are in the order of the report; only nodes that are there can be gone to', async () => {
  await openReport();
  expect(lines().map(({ textContent }) => textContent)).toEqual([
    'Send: It was kept as it issend',
    'The time zone was set in the schedulessettings.timezone',
    'Old: Its note was left outThe node was deleted',
  ]);
  expect(lines().map((line) => within(line).queryByRole('button') !== null)).toEqual([true, false, false]);
});

test('a line selects its node and shows its fields, also when the node was selected already', async () => {
  await openReport();
  for (let time = 1; time <= 2; time++) {
    act(() => editor.view.getState().show('import'));
    fireEvent.click(await screen.findByRole('button', { name: /^Send: It was kept/ }, PATIENTLY));
    expect([...editor.store.getState().selection.nodes]).toEqual(['send']);
    expect(editor.view.getState().side).toBe('node');
  }
});

test('a node that is deleted loses its link at once', async () => {
  await openReport();
  act(() => {
    editor.store.getState().edit((document) => ({ document: { ...document, nodes: [node('start')] } }));
  });
  expect(within(lines()[0] as HTMLElement).queryByRole('button')).toBeNull();
  expect(lines()[0]?.textContent).toContain('The node was deleted');
});

test('a long report shows its first hundred lines, and more on demand', async () => {
  const [line] = REPORT.lines;
  report = { ...REPORT, lines: Array.from({ length: 130 }, () => ({ ...line, message: 'x' }) as never) };
  await openReport();
  expect(lines()).toHaveLength(100);
  fireEvent.click(screen.getByRole('button', { name: 'Show 30 more lines' }));
  expect(lines()).toHaveLength(130);
});

test('a dismissed report is gone with its tab', async () => {
  await openReport();
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  await vi.waitFor(() => expect(tab(/^Import/)).toBeNull());
  expect(sent).toContain('DELETE');
  expect(tab(/^Run/)?.getAttribute('aria-selected')).toBe('true');
});

test('a report of what was put on the canvas comes first, and dismissing it asks nothing of the service', async () => {
  await show();
  await screen.findByRole('tab', { name: /^Import/ }, PATIENTLY);
  const [line] = REPORT.lines;
  act(() => {
    const pasted = { ...REPORT, lines: [{ ...line, message: 'pasted, ' } as never] };
    editor.view.getState().set({ canvas_reports: [{ report: pasted, ids: ['send'] }] });
    editor.view.getState().show('import');
  });
  await screen.findByRole('list', { name: 'Import report' }, PATIENTLY);
  expect(lines().map(({ textContent }) => textContent)).toEqual(['pasted, send']);
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(sent).not.toContain('DELETE');
  act(() => editor.view.getState().show('import'));
  expect(lines()).toHaveLength(3);
});

test('a report that cannot be dismissed stays, with the reason', async () => {
  refusal = Response.json({ detail: 'Not now' }, { status: 409 });
  await openReport();
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }));
  expect((await screen.findByRole('alert')).textContent).toContain('Not now');
  expect(lines()).toHaveLength(3);
});
