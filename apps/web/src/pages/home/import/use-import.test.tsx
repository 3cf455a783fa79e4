import type { FolderImport } from '@millrace/contracts';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showInEditor } from '../../../editor/testing/show-in-editor.tsx';
import type { Toast } from '../../../ui/overlays/toast.ts';
import { listenToToasts } from '../../../ui/testing/listen-to-toasts.ts';
import { type ImportReport, ReportDialog } from './report-dialog.tsx';
import { useImport } from './use-import.ts';

const toasts: Toast[] = [];
let warnings: { field: string; message: string }[] = [];
let disconnect: () => void;
let archive: Partial<FolderImport>;

const createFile = (name: string, text = '{"nodes":[]}') =>
  new File([text], name, { type: 'application/json' });

function Importing({ files }: { files: readonly File[] }) {
  const [report, setReport] = useState<ImportReport>();
  const { take } = useImport(undefined, setReport);
  return (
    <>
      <button type="button" onClick={() => take(files)}>
        Drop
      </button>
      {report ? <ReportDialog report={report} onClose={() => setReport(undefined)} /> : null}
    </>
  );
}

async function drop(...names: string[]): Promise<void> {
  await showInEditor({ nodes: [], edges: [] }, <Importing files={names.map((name) => createFile(name))} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Drop' }));
}

beforeEach(() => {
  warnings = [{ field: 'nodes.0.type', message: 'The node was kept as it is' }];
  toasts.length = 0;
  disconnect = listenToToasts((toast) => void toasts.push(toast));
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    if (!String(input).includes('/import')) return Response.json([]);
    if (String(input).includes('/folders/import')) return Response.json(archive, { status: 201 });
    const { file_name } = JSON.parse(String(init?.body)) as { file_name: string };
    return Response.json({ workflow: { id: file_name, name: file_name }, warnings }, { status: 201 });
  });
});
afterEach(() => {
  disconnect();
  cleanup();
  vi.unstubAllGlobals();
});

test('what an import changed is shown at once, and no toast covers it', async () => {
  await drop('orders.json');
  await screen.findByRole('dialog', { name: /^What changed in/ });
  expect(screen.getByText('The node was kept as it is')).toBeTruthy();
  expect(toasts).toEqual([]);
});

test.each([
  [0, '2 workflows imported'],
  [1, '2 workflows in 1 folder imported'],
])('a list of workflows in %i folders is imported at once', async (folders, text) => {
  const workflows = [{}, {}] as FolderImport['workflows'];
  const made = Array.from({ length: folders }, () => ({})) as FolderImport['folders'];
  archive = { folders: made, workflows, missing_credentials: [], missing_workflows: [], warnings: [] };
  const list = createFile('all.json', '[{"nodes":[]},{"nodes":[]}]');
  await showInEditor({ nodes: [], edges: [] }, <Importing files={[list]} />);
  fireEvent.click(await screen.findByRole('button', { name: 'Drop' }));
  await waitFor(() => expect(toasts).toMatchObject([{ kind: 'done', text }]));
});

test('an import that changed nothing says so in a toast', async () => {
  warnings = [];
  await drop('orders.json');
  await waitFor(() => expect(toasts).toMatchObject([{ kind: 'done', action: { label: 'Open' } }]));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('of several files each has a toast that leads to its report', async () => {
  await drop('orders.json', 'invoices.json');
  await waitFor(() => expect(toasts).toHaveLength(2));
  expect(screen.queryByRole('dialog')).toBeNull();
  await act(async () => toasts[1]?.action?.run());
  await screen.findByRole('dialog', { name: 'What changed in “invoices.json”' });
});
