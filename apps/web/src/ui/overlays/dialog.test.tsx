import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react';
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

const withButtons = (page: ReactNode) =>
  render(
    <LanguageProvider>
      <TooltipProvider>{page}</TooltipProvider>
    </LanguageProvider>,
  );

const escape = () => fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });

describe('the focus of what opened it', () => {
  it.each([
    ['a dialog', Dialog, false],
    ['a dialog whose field takes the focus itself', Dialog, true],
    ['a sheet', Sheet, false],
  ])('comes back when %s is closed', async (_title, Overlay, isEager) => {
    function Page() {
      const [open, setOpen] = useState(false);
      return (
        <>
          <button type="button" onClick={() => setOpen(true)}>
            Open
          </button>
          {open ? (
            <Overlay open onOpenChange={setOpen} title="Rename">
              <input aria-label="Name" autoFocus={isEager} />
            </Overlay>
          ) : null}
        </>
      );
    }
    withButtons(<Page />);
    const opener = await screen.findByText('Open');
    opener.focus();
    fireEvent.click(opener);
    await screen.findByRole('dialog');
    escape();
    await waitFor(() => expect(document.activeElement).toBe(opener));
  });

  it('comes back when a dialog was replaced by another one', async () => {
    function Page() {
      const [step, setStep] = useState(0);
      return (
        <>
          <button type="button" onClick={() => setStep(1)}>
            Open
          </button>
          {step === 1 ? (
            <Dialog open onOpenChange={() => setStep(0)} title="Choose">
              <button type="button" onClick={() => setStep(2)}>
                Next
              </button>
            </Dialog>
          ) : null}
          {step === 2 ? (
            <Dialog key="second" open onOpenChange={() => setStep(0)} title="Fill in">
              <input aria-label="Name" autoFocus />
            </Dialog>
          ) : null}
        </>
      );
    }
    withButtons(<Page />);
    const opener = await screen.findByText('Open');
    opener.focus();
    fireEvent.click(opener);
    const next = await screen.findByText('Next');
    next.focus();
    fireEvent.click(next);
    await screen.findByLabelText('Name');
    escape();
    await waitFor(() => expect(document.activeElement).toBe(opener));
  });

  it('stays with nothing that the person had left before', async () => {
    const page = (open: boolean) => (
      <LanguageProvider>
        <TooltipProvider>
          <input aria-label="Left" />
          {open ? <Dialog open onOpenChange={ignore} title="Help" /> : null}
        </TooltipProvider>
      </LanguageProvider>
    );
    const { rerender } = render(page(false));
    const left = await screen.findByLabelText('Left');
    left.focus();
    await act(async () => left.blur());
    rerender(page(true));
    await screen.findByRole('dialog');
    rerender(page(false));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(document.activeElement).toBe(document.body);
  });
});
