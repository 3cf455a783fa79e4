import type { TargetedClipboardEvent, TargetedDragEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { Files } from './use-files.ts';

/** Spreadsheets and word processors add a picture of the text that was copied. */
const isFormattedText = (copied: DataTransfer | null): boolean =>
  ['text/plain', 'text/html'].every((type) => copied?.types.includes(type));

/** Takes files that are dropped on a form or pasted into it. */
export function useFileTarget({ uploads, take }: Pick<Files, 'uploads' | 'take'>) {
  const [isOver, setOver] = useState(false);
  const takeFrom = (event: Event, given: DataTransfer | null) => {
    const found = [...(given?.files ?? [])];
    if (uploads.length === 0 || found.length === 0) return;
    event.preventDefault();
    void take(found);
  };
  return {
    isOver,
    handlers: {
      onDragOver(event: TargetedDragEvent<HTMLFormElement>) {
        if (uploads.length === 0 || !event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop(event: TargetedDragEvent<HTMLFormElement>) {
        setOver(false);
        takeFrom(event, event.dataTransfer);
      },
      onPaste(event: TargetedClipboardEvent<HTMLFormElement>) {
        if (!isFormattedText(event.clipboardData)) takeFrom(event, event.clipboardData);
      },
    },
  };
}
