import { clsx } from 'clsx';
import { Tabs as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';

interface TabsProps<T extends string> {
  value: T;
  onChange: (value: T) => void;
  label: string;
  tabs: readonly {
    value: T;
    label: string;
    count?: number | undefined;
    icon?: ReactNode;
    content: ReactNode;
    /** Stays in the page while another tab is in front, with what was typed and where the cursor was. */
    keep?: boolean;
  }[];
  className?: string;
  /** Shown at the right end of the tab line. */
  aside?: ReactNode;
}

export function Tabs<T extends string>({ value, onChange, label, tabs, className, aside }: TabsProps<T>) {
  return (
    <Primitive.Root
      value={value}
      onValueChange={(next) => onChange(next as T)}
      className={clsx('flex min-h-0 flex-col', className)}
    >
      <div className="flex shrink-0 items-center gap-2 border-b border-line">
        <Primitive.List aria-label={label} className="hide-scrollbar flex grow gap-1 overflow-x-auto px-3">
          {tabs.map((tab) => (
            <Primitive.Trigger
              key={tab.value}
              value={tab.value}
              className="relative flex h-9 shrink-0 items-center gap-1.5 rounded-s px-2 text-base text-soft outline-offset-[-3px] after:absolute after:inset-x-2 after:-bottom-px after:h-[2px] hover:text-text data-[state=active]:font-medium data-[state=active]:text-text data-[state=active]:after:bg-accent [&>svg]:size-4"
            >
              {tab.icon}
              {tab.label}
              {tab.count === undefined ? null : (
                <span className="tabular rounded-full bg-sunken px-1.5 text-xs font-normal text-faint">
                  {tab.count}
                </span>
              )}
            </Primitive.Trigger>
          ))}
        </Primitive.List>
        {aside}
      </div>
      {tabs.map((tab) => (
        <Primitive.Content
          key={tab.value}
          value={tab.value}
          {...(tab.keep ? { forceMount: true as const } : {})}
          className="min-h-0 grow overflow-auto outline-offset-[-2px] data-[state=inactive]:hidden"
        >
          {tab.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}
