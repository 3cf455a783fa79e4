import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DataTable } from './data-table.tsx';
import { selectColumn } from './select-column.tsx';
import { useSelection } from './use-selection.ts';

const ROWS = ['a', 'b', 'c', 'd', 'e'];

function Rows() {
  const { selected, onSelect } = useSelection();
  const column = selectColumn<string>({
    selected,
    onSelect,
    header: 'Select all',
    getId: (row) => row,
    getLabel: (row) => (row === 'c' ? undefined : `Select ${row}`),
  });
  return (
    <>
      <DataTable label="Letters" columns={[column]} rows={ROWS} rowKey={(row) => row} />
      <output>{[...selected].toSorted().join('')}</output>
    </>
  );
}

const click = (name: string, shiftKey = false) =>
  fireEvent.click(screen.getByRole('checkbox', { name }), { shiftKey });
const ticked = () => screen.getByRole('status').textContent;

beforeEach(() => void render(<Rows />));
afterEach(cleanup);

test('the box in the header selects all rows that can be selected, and none again', () => {
  const all = screen.getByRole('checkbox', { name: 'Select all' });
  click('Select b');
  expect(all.getAttribute('aria-checked')).toBe('mixed');
  click('Select all');
  expect(ticked()).toBe('abde');
  expect(all.getAttribute('aria-checked')).toBe('true');
  click('Select all');
  expect(ticked()).toBe('');
});

test('with Shift, all rows from the one ticked last are selected, in both directions', () => {
  click('Select b');
  click('Select e', true);
  expect(ticked()).toBe('bde');
  click('Select a', true);
  expect(ticked()).toBe('abde');
  click('Select d');
  expect(ticked()).toBe('abe');
});

test('with Shift and nothing ticked, one row is selected', () => {
  click('Select d', true);
  expect(ticked()).toBe('d');
});
