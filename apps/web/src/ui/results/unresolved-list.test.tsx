import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { LanguageProvider } from '../../i18n/provider.tsx';
import { countUnresolved, unresolvedIn } from './unresolved.ts';
import { UnresolvedList } from './unresolved-list.tsx';

afterEach(cleanup);

const METADATA = {
  unresolved_references: [
    { field: 'message', reference: '$input.txet', instead: '$input.txet' },
    { field: null, reference: '$start.image', instead: '' },
    'broken',
  ],
};

test('lists each reference with its field and its replacement', async () => {
  render(
    <LanguageProvider>
      <UnresolvedList references={unresolvedIn(METADATA)} />
    </LanguageProvider>,
  );
  const list = await screen.findByRole('status');
  expect(list.textContent).toContain('2 unresolved references');
  const [kept, empty] = screen.getAllByRole('listitem');
  expect(kept?.textContent).toBe(
    '$input.txet in message has no value, so the text shows the reference itself',
  );
  expect(empty?.textContent).toBe('$start.image has no value, so the text is empty');
});

test('counts the results of all rounds and ignores results without references', () => {
  expect(countUnresolved([{ metadata: METADATA }, { metadata: {} }, {}, { metadata: METADATA }])).toBe(4);
  const { container } = render(
    <LanguageProvider>
      <UnresolvedList references={unresolvedIn(undefined)} />
    </LanguageProvider>,
  );
  expect(container.textContent).toBe('');
});
