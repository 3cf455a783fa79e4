import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../actions/button.tsx';
import { Field } from '../forms/field.tsx';
import { Input } from '../forms/input.tsx';
import { type Confirmation, useConfirmStore } from './confirm-store.ts';
import { Dialog, FIRST_CHOICE } from './dialog.tsx';

/** Shows what `confirm()` asks. Mounted once, in the frame of the app. */
export function ConfirmHost() {
  const asked = useConfirmStore((state) => state.asked);
  if (!asked) return null;
  return <ConfirmDialog key={asked.title} asked={asked} answer={asked.answer} />;
}

function ConfirmDialog({ asked, answer }: { asked: Confirmation; answer: (yes: boolean) => void }) {
  const t = useTranslations('ui');
  const [typed, setTyped] = useState('');
  const word = asked.type_to_confirm;
  const ready = word === undefined || typed.trim() === word;
  const tone = asked.tone ?? 'danger';
  const first = { [FIRST_CHOICE]: '' };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) answer(false);
      }}
      size="small"
      title={asked.title}
      description={asked.body}
      footer={
        <>
          <Button {...(tone === 'danger' ? first : {})} onClick={() => answer(false)}>
            {t('cancel')}
          </Button>
          <Button
            tone={tone}
            {...(tone === 'danger' ? {} : first)}
            disabled={!ready}
            onClick={() => answer(true)}
          >
            {asked.action}
          </Button>
        </>
      }
    >
      {word === undefined ? null : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (ready) answer(true);
          }}
        >
          <Field label={t('type_to_confirm', { word })}>
            {(control) => (
              <Input
                {...control}
                value={typed}
                autoComplete="off"
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </Field>
        </form>
      )}
    </Dialog>
  );
}
