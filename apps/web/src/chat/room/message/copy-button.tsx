/** @jsxImportSource preact */
import { useEffect, useState } from 'preact/hooks';
import { copyText } from '../../../ui/actions/copy-text.ts';
import { Icon } from '../../icon.tsx';
import { t } from '../../texts.ts';

const SHOWN_MS = 2_000;

/** Puts a text on the clipboard and says so, to the eye and to a screen reader. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [outcome, setOutcome] = useState<'copied' | 'copy_failed'>();
  useEffect(() => {
    if (!outcome) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => setOutcome((await copyText(text)) ? 'copied' : 'copy_failed');
  return (
    <>
      <button
        type="button"
        class="icon-button"
        aria-label={label}
        title={outcome ? t(outcome) : label}
        onClick={() => void copy()}
      >
        <Icon name={outcome === 'copied' ? 'check' : outcome ? 'warning' : 'copy'} />
      </button>
      <span role="status" class="unseen">
        {outcome ? t(outcome) : ''}
      </span>
    </>
  );
}
