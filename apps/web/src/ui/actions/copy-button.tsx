import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl';
import { copyText } from './copy-text.ts';
import { IconButton } from './icon-button.tsx';

interface CopyButtonProps {
  text: string | (() => string);
  /** Accessible name, which says what is copied: "Copy token". */
  label?: string;
  size?: 'small' | 'medium';
  className?: string;
}

export function CopyButton({ text, label, size = 'small', className }: CopyButtonProps) {
  const t = useTranslations('ui');
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1600);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => setCopied(await copyText(typeof text === 'function' ? text() : text));
  return (
    <>
      <IconButton
        label={copied ? t('copied') : (label ?? t('copy'))}
        icon={copied ? <Check className="text-success" aria-hidden /> : <Copy aria-hidden />}
        size={size}
        onClick={() => void copy()}
        {...(className ? { className } : {})}
      />
      <span className="sr-only" aria-live="polite">
        {copied ? t('copied') : ''}
      </span>
    </>
  );
}
