import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { returnFocus } from '../../lib/keyboard/return-focus.ts';
import { keepsEscape } from '../../lib/keyboard/typing.ts';
import { IconButton } from '../actions/icon-button.tsx';

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: ReactNode;
  /** One sentence under the title; also read out when the dialog opens. */
  description?: ReactNode;
  size?: 'small' | 'medium' | 'large' | 'wide';
  /** Buttons, right-aligned; stays in view while the content scrolls. */
  footer?: ReactNode;
  /** Refuses Escape and clicks beside the dialog. */
  sticky?: boolean;
  children?: ReactNode;
}

const WIDTHS = {
  small: 'sm:max-w-[420px]',
  medium: 'sm:max-w-[560px]',
  large: 'sm:max-w-[760px]',
  wide: 'sm:max-w-[1080px]',
};

const OVERLAY = 'fixed inset-0 z-40 animate-enter bg-scrim';

function refuse(event: Event) {
  event.preventDefault();
}

const FIELDS =
  'input:not([type="hidden"], [type="file"], [tabindex="-1"], :disabled), select:not(:disabled), textarea:not(:disabled), [role="combobox"]:not(:disabled), [contenteditable="true"]';

/** A button that Enter is to press where there is no field. */
export const FIRST_CHOICE = 'data-first-choice';

/** Where the keyboard is when a dialog opens: by default it would be the button that closes it. */
function focusFirstField(event: Event) {
  event.preventDefault();
  const dialog = event.currentTarget as HTMLElement;
  const field = dialog.querySelector<HTMLElement>(FIELDS);
  (field ?? dialog.querySelector<HTMLElement>(`[${FIRST_CHOICE}]`) ?? dialog).focus();
}

/** The fields of a sheet, such as a search in what it shows, are not what it was opened for. */
function focusSheet(event: Event) {
  event.preventDefault();
  (event.currentTarget as HTMLElement).focus();
}

function leaveToField(event: KeyboardEvent) {
  if (keepsEscape(event.target)) event.preventDefault();
}

function Heading({
  title,
  description,
  closable,
}: {
  title: ReactNode;
  description?: ReactNode;
  closable: boolean;
}) {
  const t = useTranslations('ui');
  return (
    <header className="flex items-start gap-3 px-5 pt-4 pb-3">
      <div className="min-w-0 grow">
        <Primitive.Title className="text-lg text-text">{title}</Primitive.Title>
        {description ? (
          <Primitive.Description className="mt-0.5 text-base text-soft">{description}</Primitive.Description>
        ) : null}
      </div>
      {closable ? (
        <Primitive.Close asChild>
          <IconButton
            label={t('close')}
            icon={<X aria-hidden />}
            size="small"
            tooltip={false}
            className="-mr-2"
          />
        </Primitive.Close>
      ) : null}
    </header>
  );
}

/** A modal dialog; on phones it rises from the lower edge. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  size = 'medium',
  footer,
  sticky = false,
  children,
}: DialogProps) {
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className={OVERLAY} />
        <Primitive.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          onOpenAutoFocus={focusFirstField}
          onCloseAutoFocus={returnFocus}
          onEscapeKeyDown={sticky ? refuse : leaveToField}
          {...(sticky ? { onInteractOutside: refuse } : {})}
          className={clsx(
            'fixed z-40 flex max-h-[92dvh] w-full flex-col border border-line-strong bg-raised shadow-l outline-none',
            'inset-x-0 bottom-0 animate-lift rounded-t-l pb-[env(safe-area-inset-bottom)]',
            'sm:inset-x-auto sm:top-[12vh] sm:bottom-auto sm:left-1/2 sm:max-h-[76vh] sm:-translate-x-1/2 sm:animate-enter sm:rounded-l sm:pb-0',
            WIDTHS[size],
          )}
        >
          <Heading title={title} description={description} closable={!sticky} />
          {children ? <div className="min-h-0 grow overflow-y-auto px-5 pb-5">{children}</div> : null}
          {footer ? (
            <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3">
              {footer}
            </footer>
          ) : null}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

interface SheetProps extends Omit<DialogProps, 'size' | 'sticky'> {
  side?: 'right' | 'left';
  width?: 'medium' | 'large';
  /** Actions beside the title. */
  actions?: ReactNode;
  hideTitle?: boolean;
}

/** A panel over the edge of the page, for details that keep the list in view. */
export function Sheet({
  open,
  onOpenChange,
  title,
  description,
  side = 'right',
  width = 'medium',
  actions,
  hideTitle = false,
  footer,
  children,
}: SheetProps) {
  const t = useTranslations('ui');
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className={OVERLAY} />
        <Primitive.Content
          {...(description ? {} : { 'aria-describedby': undefined })}
          onOpenAutoFocus={focusSheet}
          onCloseAutoFocus={returnFocus}
          onEscapeKeyDown={leaveToField}
          className={clsx(
            'fixed inset-y-0 z-40 flex w-full flex-col border-line-strong bg-surface shadow-l outline-none',
            side === 'right'
              ? 'right-0 animate-slide border-l'
              : 'left-0 max-w-[300px] animate-enter border-r',
            side === 'right' && (width === 'large' ? 'sm:w-[min(880px,92vw)]' : 'sm:w-[min(520px,92vw)]'),
          )}
        >
          <header
            className={clsx(
              'flex min-h-13 items-center gap-2 border-b border-line px-4 py-2',
              hideTitle && 'sr-only',
            )}
          >
            <div className="min-w-0 grow">
              <Primitive.Title className="line-clamp-3 text-lg break-words">{title}</Primitive.Title>
              {description ? (
                <Primitive.Description className="truncate text-sm text-faint">
                  {description}
                </Primitive.Description>
              ) : null}
            </div>
            {actions}
            <Primitive.Close asChild>
              <IconButton label={t('close')} icon={<X aria-hidden />} tooltip={false} className="-mr-1.5" />
            </Primitive.Close>
          </header>
          <div className="min-h-0 grow overflow-y-auto">{children}</div>
          {footer ? (
            <footer className="flex justify-end gap-2 border-t border-line px-4 py-3">{footer}</footer>
          ) : null}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
