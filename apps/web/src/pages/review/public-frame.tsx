import type { ReactNode } from 'react';
import { Mark } from '../../ui/display/mark.tsx';

/** Pages for people without an account: the product's name, and one column that fits a phone. */
export function PublicFrame({ children }: { children: ReactNode }) {
  return (
    <div className="flex h-full flex-col bg-canvas">
      <header className="flex shrink-0 items-center gap-2.5 border-b border-line bg-surface px-4 py-3 sm:px-6">
        <Mark className="size-6" />
        <span className="text-lg font-semibold tracking-tight">Millrace</span>
      </header>
      <main className="min-h-0 grow overflow-y-auto">
        <div className="mx-auto flex min-h-full w-full max-w-3xl flex-col px-4 py-6 sm:px-6 sm:py-10">
          {children}
        </div>
      </main>
    </div>
  );
}
