/** @jsxImportSource preact */
import { CopyButton } from '../room/message/copy-button.tsx';
import { t } from '../texts.ts';

/** Code as it is written, from left to right in every language, with a button that copies it. */
export function CodeBlock({ text, language }: { text: string; language: string }) {
  return (
    <div class="code" dir="ltr">
      <div class="code-head">
        <span>{language.split(/\s/)[0] || t('code')}</span>
        <CopyButton text={text} label={t('copy_code')} />
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <pre role="region" aria-label={t('code')} tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}
