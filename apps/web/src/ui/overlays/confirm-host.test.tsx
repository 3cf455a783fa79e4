import { act, cleanup, render, screen, waitFor } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { LanguageProvider } from '../../i18n/provider.tsx';
import { ConfirmHost } from './confirm-host.tsx';
import { type Confirmation, confirm } from './confirm-store.ts';
import { TooltipProvider } from './tooltip.tsx';

afterEach(cleanup);

it.each<[string, Partial<Confirmation>, string]>([
  ['an ordinary question, which Enter answers with yes', { tone: 'primary' }, 'Go'],
  ['a dangerous question, which Enter answers with no', { tone: 'danger' }, 'Cancel'],
])('the focus is on the button for %s', async (_title, more, button) => {
  render(
    <LanguageProvider>
      <TooltipProvider>
        <ConfirmHost />
      </TooltipProvider>
    </LanguageProvider>,
  );
  act(() => void confirm({ title: 'Really?', action: 'Go', ...more }));
  const wanted = await screen.findByRole('button', { name: button });
  await waitFor(() => expect(document.activeElement).toBe(wanted));
});
