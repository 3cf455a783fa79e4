import { act, cleanup, render } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Announcer } from './announcer.tsx';

const place = vi.hoisted(() => ({ pathname: '/' }));
vi.mock('@tanstack/react-router', () => ({ useLocation: () => place }));

beforeEach(() => {
  vi.useFakeTimers();
  document.title = 'Sign in';
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('a page that sets its title late is announced by that title', async () => {
  const { container } = render(<Announcer />);
  await pass(300);
  expect(container.textContent).toBe('Sign in');
  document.title = 'Workflows';
  await pass(300);
  expect(container.textContent).toBe('Workflows');
});

test('a title that changes long after the page was opened is not announced', async () => {
  const { container } = render(<Announcer />);
  await pass(6_000);
  document.title = 'Run finished';
  await pass(300);
  expect(container.textContent).toBe('Sign in');
});
