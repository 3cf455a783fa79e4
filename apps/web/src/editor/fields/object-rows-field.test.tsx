import type { Json } from '@millrace/engine';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { showForm } from '../testing/show-form.tsx';

afterEach(cleanup);

let parameter: (name: string) => Json | undefined;

async function showSteps(playwrightSteps: Json): Promise<void> {
  parameter = await showForm({
    nodes: [
      {
        id: 'n',
        type: 'playwright',
        position: { x: 0, y: 0 },
        data: { label: 'browser', playwrightSteps },
      },
    ],
    edges: [],
  });
}

const row = (number: number) => screen.findByRole('group', { name: `Row ${number}` }, { timeout: 15_000 });

test('a step has the fields of its action, and keeps what the form does not know', async () => {
  await showSteps([
    { action: 'navigate', url: 'https://a.test', note: 'kept' },
    { action: 'aiStep', instructions: 'Buy' },
  ]);
  const first = within(await row(1));
  expect(first.getByText('Address')).toBeTruthy();
  expect(first.queryByText('Selector')).toBeNull();
  const second = within(await row(2));
  expect(second.getByText('Instructions')).toBeTruthy();
  expect(second.getByText('Model')).toBeTruthy();
  expect(second.queryByText('Address')).toBeNull();

  const action = first.getByRole('combobox', { name: 'Action' });
  act(() => action.focus());
  act(() => void fireEvent.keyDown(action, { key: 'ArrowDown' }));
  const click = await screen.findByRole('option', { name: 'Click' });
  act(() => void fireEvent.keyDown(click, { key: 'Enter' }));
  expect(parameter('playwrightSteps')).toMatchObject([
    { action: 'click', url: 'https://a.test', note: 'kept' },
    {},
  ]);
  expect(within(await row(1)).getByText('Selector')).toBeTruthy();
});

test('a step without an action is what a run takes it for', async () => {
  await showSteps([{ url: 'https://a.test' }]);
  const first = within(await row(1));
  expect(first.getByRole('combobox', { name: 'Action' }).textContent).toContain('Open a page');
  expect(first.getByText('Address')).toBeTruthy();
});

test('steps are added, moved and removed', async () => {
  await showSteps([{ action: 'navigate' }, { action: 'click' }]);
  await row(2);
  act(() => void fireEvent.click(screen.getByRole('button', { name: 'Move row 2 up' })));
  expect(parameter('playwrightSteps')).toEqual([{ action: 'click' }, { action: 'navigate' }]);
  act(() => void fireEvent.click(screen.getByRole('button', { name: 'Remove row 1' })));
  expect(parameter('playwrightSteps')).toEqual([{ action: 'navigate' }]);
  act(() => void fireEvent.click(screen.getByRole('button', { name: 'Add row' })));
  expect(parameter('playwrightSteps')).toEqual([{ action: 'navigate' }, { action: 'navigate' }]);
});
