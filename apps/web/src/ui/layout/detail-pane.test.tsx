import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LanguageProvider } from '../../i18n/provider.tsx';
import { TooltipProvider } from '../overlays/tooltip.tsx';
import { DetailPane } from './detail-pane.tsx';
import { SelectionToolbar } from './selection-toolbar.tsx';

function List() {
  const [isOpen, setOpen] = useState(false);
  const [isTicked, setTicked] = useState(true);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Row
      </button>
      {isTicked ? (
        <SelectionToolbar count={1} onClear={() => setTicked(false)}>
          Delete
        </SelectionToolbar>
      ) : null}
      {isOpen ? (
        <DetailPane title="Run" id="1" onClose={() => setOpen(false)}>
          <button type="button">Timeline</button>
          <input aria-label="Search" />
        </DetailPane>
      ) : null}
    </>
  );
}

const pane = () => screen.queryByRole('complementary', { name: 'Run' });
const escape = () => fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });

beforeEach(async () => {
  vi.stubGlobal('matchMedia', () => ({
    matches: true,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  render(
    <LanguageProvider>
      <TooltipProvider>
        <List />
      </TooltipProvider>
    </LanguageProvider>,
  );
  const row = await screen.findByRole('button', { name: 'Row' });
  row.focus();
  fireEvent.click(row);
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test('Escape closes details beside the list first, and clears the selection second', () => {
  escape();
  expect(pane()).toBeNull();
  expect(screen.queryByRole('toolbar')).not.toBeNull();
  escape();
  expect(screen.queryByRole('toolbar')).toBeNull();
});

test('Escape in a field of the details leaves them open', () => {
  screen.getByRole('textbox', { name: 'Search' }).focus();
  escape();
  expect(pane()).not.toBeNull();
});

test('Escape that closes a list of choices does nothing else', () => {
  const choices = document.createElement('div');
  choices.setAttribute('role', 'listbox');
  document.body.append(choices);
  escape();
  choices.remove();
  expect(pane()).not.toBeNull();
  expect(screen.queryByRole('toolbar')).not.toBeNull();
});

test('the focus returns from closed details to the row that opened them', async () => {
  screen.getByRole('button', { name: 'Timeline' }).focus();
  escape();
  expect(pane()).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Row' })));
});
