import { QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { createQueryClient } from './query-client.ts';
import { useSkill } from './skills.ts';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const ID = '4b0b8f0e-6a3e-4c6e-9a5d-1f2e3d4c5b6a';

it('editing a skill always loads it again, so that no form starts with an older version', async () => {
  let version = 1;
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ id: ID, version })));
  const seen: (number | undefined)[] = [];
  function Editor() {
    const { data } = useSkill(ID);
    seen.push(data?.version);
    return <p>{data ? `version ${data.version}` : 'loading'}</p>;
  }
  const client = createQueryClient();
  const open = () =>
    render(
      <QueryClientProvider client={client}>
        <Editor />
      </QueryClientProvider>,
    );
  const first = open();
  await screen.findByText('version 1');
  first.unmount();
  // An empty task is enough, and every person takes longer.
  await new Promise((resolve) => setTimeout(resolve));
  // Saved elsewhere, or restored from its versions.
  version = 2;
  seen.length = 0;
  open();
  await screen.findByText('version 2');
  expect(seen).not.toContain(1);
});
