import type { Json, WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { showForm } from '../testing/show-form.tsx';

afterEach(cleanup);

let parameter: (name: string) => Json | undefined;

async function showAgent(data: Record<string, Json>): Promise<void> {
  const position = { x: 0, y: 0 };
  const document: WorkflowDocument = {
    nodes: [
      {
        id: 'boss',
        type: 'agent',
        position,
        data: { ...catalog.get('agent')?.initial, label: 'boss', ...data },
      },
      { id: 'mail', type: 'sendEmail', position, data: { label: 'sendMail' } },
      { id: 'other', type: 'set', position, data: { label: 'other' } },
    ],
    edges: [{ id: 'e1', source: 'mail', target: 'boss', targetHandle: 'tool-input' }],
  };
  parameter = await showForm(document);
}

async function listChoices(label: string): Promise<string[]> {
  const box = await screen.findByRole('combobox', { name: label }, { timeout: 15_000 });
  act(() => box.focus());
  act(() => void fireEvent.keyDown(box, { key: 'ArrowDown' }));
  return (await screen.findAllByRole('option')).map(({ textContent }) => textContent);
}

test('the tools of an agent are offered for review by their names, and what is chosen is stored', async () => {
  await showAgent({
    hitlEnabled: true,
    tools: [{ name: 'get_price', code: 'x' }],
    skills: [
      { name: 'letters', content: '', files: [{ path: 'main.py', content: '' }] },
      { name: 'tone', content: 'Be kind' },
    ],
    webFetchEnabled: true,
    webSearchCredentialId: 'c1',
    subWorkflowIds: ['w1'],
    isOrchestrator: true,
    subAgentLabels: ['scout'],
    toolReviews: [{ tool: 'gone', mode: 'once', note: 'kept' }],
  });
  expect(await listChoices('Tool 1')).toEqual([
    'Every tool',
    'sendMail',
    'get_price',
    'letters',
    'Reading web pages',
    'Searching the web',
    'Running workflows',
    'Asking other agents',
    'gone',
  ]);
  act(() => void fireEvent.keyDown(screen.getByRole('option', { name: 'sendMail' }), { key: 'Enter' }));
  expect(parameter('toolReviews')).toEqual([{ tool: 'sendMail', mode: 'once', note: 'kept' }]);
  expect(await listChoices('When, row 1')).toEqual(['Before every use', 'Before the first use in a run']);
  act(
    () => void fireEvent.keyDown(screen.getByRole('option', { name: 'Before every use' }), { key: 'Enter' }),
  );
  expect(parameter('toolReviews')).toEqual([{ tool: 'sendMail', mode: 'always', note: 'kept' }]);
});

test('without a person to ask, no tool is offered for review', async () => {
  await showAgent({ hitlEnabled: false, toolReviews: [{ tool: 'sendMail', mode: 'always' }] });
  expect(screen.queryByText('Review before use')).toBeNull();
});
