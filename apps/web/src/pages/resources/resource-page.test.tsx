import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, expect, test } from 'vitest';
import { createQueryClient } from '../../data/query-client.ts';
import { LanguageProvider } from '../../i18n/provider.tsx';
import { ResourcePage } from './resource-page.tsx';

afterEach(cleanup);

const doNothing = () => undefined;
const texts = (key: string) => key;

function Rates() {
  const [words, setWords] = useState('');
  const query = useQuery({ queryKey: ['rates'], queryFn: () => [{ id: '1', name: 'taxRate' }] });
  return (
    <ResourcePage
      area="rates"
      texts={texts}
      icon={null}
      query={query}
      words={words}
      onWords={setWords}
      columns={[{ id: 'name', header: 'Name', width: '1fr', cell: ({ name }) => name }]}
      onNew={doNothing}
      onOpen={doNothing}
    >
      {null}
    </ResourcePage>
  );
}

test('a search without a match leads back to the whole list', async () => {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <LanguageProvider>
        <Rates />
      </LanguageProvider>
    </QueryClientProvider>,
  );
  fireEvent.change(await screen.findByRole('textbox', { name: 'search' }), { target: { value: 'zzz' } });
  expect(screen.queryByText('taxRate')).toBeNull();
  expect(screen.getByText(/“zzz”/)).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Show all' }));
  expect(screen.getByText('taxRate')).toBeTruthy();
});
