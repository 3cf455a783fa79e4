import { Search } from 'lucide-react';
import { Popover } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/actions/button.tsx';
import { usePanelTexts } from '../panel/texts/use-panel-texts.ts';

interface ChoicePopoverProps {
  /** Name of the button, for screen readers. */
  label: string;
  /** Why the list cannot be shown yet; absent when it can. */
  unavailable?: string | undefined;
  /** The list, loaded when the popover is opened. */
  children: (close: () => void) => ReactNode;
}

/** The button beside a field that opens what a service lists. */
export function ChoicePopover({ label, unavailable, children }: ChoicePopoverProps) {
  const t = usePanelTexts('fields');
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button size="small" tone="quiet" disabled={unavailable !== undefined} title={unavailable}>
          <Search aria-hidden />
          {t('choices_open')}
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={label}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 w-80 max-w-[calc(100vw-16px)] animate-rise overflow-hidden rounded-l border border-line-strong bg-raised shadow-m"
        >
          {children(() => setOpen(false))}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
