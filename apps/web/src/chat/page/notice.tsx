/** @jsxImportSource preact */
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../texts.ts';

/** A page that has nothing but a message. It takes the focus, so that a screen reader says it. */
export function Notice({ title, text, onRetry }: { title: string; text: string; onRetry?: () => void }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = title;
    heading.current?.focus();
  }, [title]);
  return (
    <main class="centre">
      <div class="card">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p>{text}</p>
        {onRetry ? (
          <button type="button" class="button is-primary" onClick={onRetry}>
            {t('retry')}
          </button>
        ) : null}
      </div>
    </main>
  );
}
