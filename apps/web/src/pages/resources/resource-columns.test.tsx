import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { SharedBy } from './resource-columns.tsx';

afterEach(cleanup);

test('a long address of an owner is cut off in its column, and readable as a whole', () => {
  const address = `${'long.'.repeat(20)}address@example.com`;
  render(<SharedBy shared_by={address} shared_by_team={null} />);
  const text = screen.getByText(address);
  expect(text.title).toBe(address);
  expect(text.className).toContain('truncate');
  expect(text.parentElement?.className).toMatch(/min-w-0.*!shrink/);
});
