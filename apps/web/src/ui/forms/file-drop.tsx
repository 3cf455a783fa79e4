import { clsx } from 'clsx';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';

function carriesFiles(event: DragEvent): boolean {
  return event.dataTransfer.types.includes('Files');
}

interface FileDropProps {
  onFiles: (files: File[]) => void;
  /** The effect of dropping here; shown while files hover. */
  invitation: string;
  disabled?: boolean;
  className?: string;
  children: ReactNode;
}

/** An area that takes dropped files. Dropping is the shortcut; a button must offer the same. */
export function FileDrop({ onFiles, invitation, disabled = false, className, children }: FileDropProps) {
  // Entering a child fires before leaving its parent, so the depth shows when the pointer has really left.
  const depth = useRef(0);
  const [over, setOver] = useState(false);
  if (disabled) return <div className={className}>{children}</div>;
  return (
    <div
      className={clsx('relative', className)}
      onDragEnter={(event) => {
        if (!carriesFiles(event)) return;
        depth.current += 1;
        setOver(true);
      }}
      onDragOver={(event) => {
        if (carriesFiles(event)) event.preventDefault();
      }}
      onDragLeave={() => {
        depth.current = Math.max(0, depth.current - 1);
        if (depth.current === 0) setOver(false);
      }}
      onDrop={(event) => {
        if (!carriesFiles(event)) return;
        event.preventDefault();
        depth.current = 0;
        setOver(false);
        onFiles([...event.dataTransfer.files]);
      }}
    >
      {children}
      {over ? (
        <div className="pointer-events-none absolute inset-2 z-30 flex animate-enter items-center justify-center rounded-l border-2 border-dashed border-accent bg-surface/90 text-lg font-medium text-accent-text">
          {invitation}
        </div>
      ) : null}
    </div>
  );
}

/** Opens the system's file picker. */
export function pickFiles({
  accept,
  multiple = true,
}: {
  accept?: string;
  multiple?: boolean;
}): Promise<File[]> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = multiple;
    if (accept) input.accept = accept;
    input.addEventListener('change', () => resolve([...(input.files ?? [])]), { once: true });
    input.addEventListener('cancel', () => resolve([]), { once: true });
    input.click();
  });
}
