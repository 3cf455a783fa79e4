import { updateMe } from '@millrace/contracts';
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { LanguageProvider } from '../../i18n/provider.tsx';
import { numberOrNone } from './number-or-none.ts';
import { useForm } from './use-form.ts';

afterEach(cleanup);

const sent = vi.fn(() => Promise.resolve());

function Budget({ typed }: { typed: string }) {
  const form = useForm({
    initial: { typed },
    schema: updateMe.body,
    toBody: (values) => ({ daily_budget_usd: numberOrNone(values.typed) }),
    submit: sent,
  });
  return (
    <form {...form.props} aria-label="Budget">
      <p>{form.errors['daily_budget_usd']}</p>
    </form>
  );
}

it('asks for a number where something else was typed, and does not send it', async () => {
  render(
    <LanguageProvider>
      <Budget typed="much" />
    </LanguageProvider>,
  );
  fireEvent.submit(await screen.findByRole('form', { name: 'Budget' }));
  expect((await screen.findByText('Enter a number')).isConnected).toBe(true);
  expect(sent).not.toHaveBeenCalled();
});
