import { X } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { FieldControl } from './field.tsx';
import { CONTROL } from './input.tsx';

interface TokenInputProps extends FieldControl {
  tokens: readonly string[];
  onChange: (tokens: string[]) => void;
  placeholder?: string;
}

/** Several short texts in one field; Enter or comma ends one, Backspace takes the last back. */
export function TokenInput({ tokens, onChange, placeholder, ...control }: TokenInputProps) {
  const t = useTranslations('ui');
  const [text, setText] = useState('');
  const add = () => {
    const words = text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '' && !tokens.includes(word));
    if (words.length > 0) onChange([...tokens, ...words]);
    setText('');
  };
  return (
    <span
      className={`${CONTROL} flex min-h-[var(--control-height)] flex-wrap items-center gap-1 px-1.5 py-1 focus-within:border-focus`}
    >
      {tokens.map((token) => (
        <span
          key={token}
          className="inline-flex h-[22px] items-center gap-0.5 rounded-s border border-line-strong bg-sunken pl-1.5 text-sm"
        >
          {token}
          <button
            type="button"
            aria-label={t('remove_token', { token })}
            className="inline-flex size-5 items-center justify-center text-faint hover:text-text"
            onClick={() => onChange(tokens.filter((other) => other !== token))}
          >
            <X className="size-3" aria-hidden />
          </button>
        </span>
      ))}
      <input
        {...control}
        value={text}
        placeholder={tokens.length === 0 ? placeholder : undefined}
        className="h-[22px] min-w-24 grow bg-transparent px-1 outline-none"
        onChange={(event) => setText(event.target.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if ((event.key === 'Enter' || event.key === ',') && text.trim() !== '') {
            event.preventDefault();
            add();
          } else if (event.key === 'Backspace' && text === '') onChange(tokens.slice(0, -1));
        }}
      />
    </span>
  );
}
