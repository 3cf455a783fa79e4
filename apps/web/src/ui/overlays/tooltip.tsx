import { Tooltip as Primitive } from 'radix-ui';
import type { FocusEvent, ReactNode } from 'react';
import { isFocusReturning } from '../../lib/keyboard/return-focus.ts';
import { Keys } from '../display/keys.tsx';

interface TooltipProps {
  text: ReactNode;
  keys?: string;
  side?: 'top' | 'right' | 'bottom' | 'left';
  children: ReactNode;
}

function stayClosed(event: FocusEvent) {
  if (isFocusReturning()) event.preventDefault();
}

/** Never the only place of a fact: touch screens do not show it. */
export function Tooltip({ text, keys, side = 'bottom', children }: TooltipProps) {
  return (
    <Primitive.Root>
      <Primitive.Trigger asChild onFocus={stayClosed}>
        {children}
      </Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          side={side}
          sideOffset={5}
          collisionPadding={8}
          className="z-50 flex max-w-72 animate-enter items-center gap-2 rounded-m bg-text px-2 py-1 text-sm text-inverse shadow-m"
        >
          {text}
          {keys ? <Keys keys={keys} inverse /> : null}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <Primitive.Provider delayDuration={450} skipDelayDuration={200}>
      {children}
    </Primitive.Provider>
  );
}
