import { type ReactNode, useState } from 'react';
import { FoldButton, FoldMark } from '../../ui/actions/fold-button.tsx';

interface FoldedFileProps {
  path: string;
  /** Beside the path. */
  aside: ReactNode;
  /** Whether its text is shown at first. */
  initiallyOpen?: boolean;
  /** Its text; absent for a file that is none. */
  children?: ReactNode;
}

/** A file of a skill in a list: its path, and its text on demand. */
export function FoldedFile({ path, aside, initiallyOpen = false, children }: FoldedFileProps) {
  const [open, setOpen] = useState(initiallyOpen);
  const line = 'flex min-h-9 items-center gap-2 px-2.5 py-1.5';
  const words = (
    <>
      <span className="min-w-0 grow font-mono text-sm break-all">{path}</span>
      {aside}
    </>
  );
  return (
    <li className="rounded-m border border-line">
      {children ? (
        <FoldButton open={open} onToggle={() => setOpen(!open)} className={`${line} rounded-m`}>
          <FoldMark open={open} />
          {words}
        </FoldButton>
      ) : (
        <div className={`${line} pl-8`}>{words}</div>
      )}
      {open && children ? <div className="px-2.5 pb-2.5">{children}</div> : null}
    </li>
  );
}
