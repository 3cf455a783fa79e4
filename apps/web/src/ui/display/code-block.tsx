import { clsx } from 'clsx';
import { CopyButton } from '../actions/copy-button.tsx';

interface CodeBlockProps {
  code: string;
  /** Accessible name of the scrolling area. */
  label: string;
  /** Shown over the code: a language or a file name. */
  caption?: string;
  wrap?: boolean;
  className?: string;
}

export function CodeBlock({ code, label, caption, wrap = false, className }: CodeBlockProps) {
  return (
    <figure
      className={clsx('group relative overflow-hidden rounded-m border border-line bg-sunken', className)}
    >
      {caption ? (
        <figcaption className="border-b border-line py-1.5 pr-11 pl-3 text-sm text-faint">
          {caption}
        </figcaption>
      ) : null}
      <pre
        role="region"
        aria-label={label}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling area must be reachable by keyboard
        tabIndex={0}
        className={clsx(
          'max-h-96 overflow-auto p-3 text-sm',
          caption === undefined && 'pr-11',
          wrap && 'break-words whitespace-pre-wrap',
        )}
      >
        <code>{code}</code>
      </pre>
      <CopyButton
        text={code}
        className={clsx('absolute right-1.5 bg-sunken', caption ? 'top-0.5' : 'top-1.5')}
      />
    </figure>
  );
}
