import { useQuery } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { meQuery } from '../../data/session.ts';
import { keepUnsavedCopy } from '../../editor/session/unsaved-copy.ts';
import { showAtPath } from '../../features/testing/show-at-path.tsx';
import { GonePage } from './gone-page.tsx';

const WORKFLOW = '6b0b9f9e-4d0c-4c56-9a56-0f1f6f3f2a10';
const PATIENCE = { timeout: 15_000 };
const KEPT = {
  document: { nodes: [], edges: [] },
  base: { nodes: [], edges: [] },
  base_updated_at: '2026-01-01T00:00:00.000Z',
  saved_at: 0,
};

function SignedIn() {
  const me = useQuery(meQuery).data;
  return me ? <GonePage id={WORKFLOW} name="Orders" /> : null;
}

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ id: 'ada' })));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const show = async () => {
  await showAtPath({ path: '/workflows' }, <SignedIn />);
  await screen.findByRole('heading', { name: 'This workflow is no longer available' }, PATIENCE);
};
const findOffer = () => screen.queryByRole('button', { name: 'Save them as a new workflow' });

test('what a person left unsaved is offered to them', async () => {
  keepUnsavedCopy({ user_id: 'ada', workflow_id: WORKFLOW }, KEPT);
  await show();
  expect(findOffer()).not.toBeNull();
});

test.each([
  { key: `millrace.draft.${WORKFLOW}`, by: 'no one known' },
  { key: `millrace.draft.grace.${WORKFLOW}`, by: 'another person' },
])('what $by left unsaved in the same browser is not', async ({ key }) => {
  keepUnsavedCopy({ user_id: 'grace', workflow_id: WORKFLOW }, KEPT);
  localStorage.setItem(key, JSON.stringify(KEPT));
  await show();
  expect(findOffer()).toBeNull();
});
