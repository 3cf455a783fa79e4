import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
import { type ReactNode, useState } from 'react';
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

describe('the focus of what opened it', () => {
  it.each([
    ['a dialog', Dialog],
    ['a sheet', Sheet],
  ])('comes back when %s is closed', async (_title, Overlay) => {
    function Page() {
      const [open, setOpen] = useState(false);
      return (
        <>
          <button type="button" onClick={() => setOpen(true)}>
            Open
          </button>
          {open ? (
            <Overlay open onOpenChange={setOpen} title="Rename">
              <input aria-label="Name" />
            </Overlay>
          ) : null}
        </>
      );
    }
    render(
      <LanguageProvider>
        <TooltipProvider>
          <Page />
        </TooltipProvider>
      </LanguageProvider>,
    );
    const opener = await screen.findByText('Open');
    opener.focus();
    fireEvent.click(opener);
    await screen.findByRole('dialog');
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });
    await waitFor(() => expect(document.activeElement).toBe(opener));
  });
});
