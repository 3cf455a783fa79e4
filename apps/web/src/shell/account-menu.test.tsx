import { useQuery } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { meQuery } from '../data/session.ts';
import { showInEditor } from '../editor/testing/show-in-editor.tsx';
import { AccountMenu } from './account-menu.tsx';

function SignedIn({ collapsed }: { collapsed: boolean }) {
  return useQuery(meQuery).data ? <AccountMenu collapsed={collapsed} /> : null;
}

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

test.each([
  [false, /^Account: ?Ada ?ada@x\.example$/],
  [true, /^Account: Ada$/],
])('the name of the account button has what it shows, collapsed: %s', async (collapsed, name) => {
  vi.stubGlobal('fetch', async () => Response.json({ name: 'Ada', email: 'ada@x.example' }));
  await showInEditor({ nodes: [], edges: [] }, <SignedIn collapsed={collapsed} />);
  expect(await screen.findByRole('button', { name })).toBeTruthy();
});
