import { cleanup, render, screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import { LanguageProvider } from '../../i18n/provider.tsx';
import { Dialog, Sheet } from './dialog.tsx';
import { TooltipProvider } from './tooltip.tsx';

afterEach(cleanup);

const show = async (overlay: ReactNode) => {
  render(
    <LanguageProvider>
      <TooltipProvider>{overlay}</TooltipProvider>
    </LanguageProvider>,
  );
  return screen.findByRole('dialog');
};
const ignore = () => undefined;

describe('the focus of what opens', () => {
  it('is on the first field of a dialog', async () => {
    await show(
      <Dialog open onOpenChange={ignore} title="Rename">
        <button type="button">Help</button>
        <input aria-label="Old" disabled />
        <input aria-label="Name" />
      </Dialog>,
    );
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Name')));
  });

  it('is on the field that asks for it', async () => {
    await show(
      <Dialog open onOpenChange={ignore} title="Rename">
        <input aria-label="Name" />
        <input aria-label="Note" autoFocus />
      </Dialog>,
    );
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Note')));
  });

  it('is on a dialog without fields, not on its button to close', async () => {
    const dialog = await show(<Dialog open onOpenChange={ignore} title="Versions" />);
    await waitFor(() => expect(document.activeElement).toBe(dialog));
  });

  it('is on a sheet, also when it has fields', async () => {
    const sheet = await show(
      <Sheet open onOpenChange={ignore} title="Run">
        <input aria-label="Search" />
      </Sheet>,
    );
    await waitFor(() => expect(document.activeElement).toBe(sheet));
  });
});
