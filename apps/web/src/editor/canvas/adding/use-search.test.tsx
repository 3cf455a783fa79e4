import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useEffect } from 'react';
import { afterEach, expect, test, vi } from 'vitest';
import type { NodeSearchRequest } from '../../../features/canvas-view/canvas-actions.tsx';
import { useSearch } from './use-search.ts';

let ask: (next: NodeSearchRequest | undefined) => void;
const load = vi.fn();

/** The search as it is while its code loads, and with its field. */
function Shown({ hasLoaded }: { hasLoaded: boolean }) {
  const [request, setRequest] = useSearch(load);
  useEffect(() => {
    ask = setRequest;
  }, [setRequest]);
  return (
    <>
      <output>{JSON.stringify(request ?? null)}</output>
      {request && hasLoaded ? <input /> : null}
    </>
  );
}

const shortcut = vi.fn();
window.addEventListener('keydown', shortcut);
afterEach(() => {
  cleanup();
  shortcut.mockClear();
});

const press = (...keys: string[]) => {
  for (const key of keys) act(() => void fireEvent.keyDown(document.body, { key }));
};
const request = (): unknown => JSON.parse(screen.getByRole('status').textContent ?? '');

test('keys between the shortcut and the search are its first letters, and no shortcuts', () => {
  render(<Shown hasLoaded={false} />);
  act(() => ask({ at: { x: 1, y: 2 } }));
  press('d', 'p', 'x', 'Backspace', 'Delete', 'Shift', 'D');
  expect(request()).toEqual({ at: { x: 1, y: 2 }, text: 'dpD' });
  expect(shortcut).not.toHaveBeenCalled();
});

test('Escape closes a search that is not there yet, and keys are shortcuts again', () => {
  render(<Shown hasLoaded={false} />);
  act(() => ask({}));
  press('Escape');
  expect(request()).toBeNull();
  press('d');
  expect(shortcut).toHaveBeenCalledOnce();
});

test('keys in the field of the search are left to it', () => {
  render(<Shown hasLoaded />);
  act(() => ask({}));
  act(() => void fireEvent.keyDown(screen.getByRole('textbox'), { key: 'd' }));
  expect(request()).toEqual({});
  expect(shortcut).toHaveBeenCalledOnce();
});
