import type { Credential } from '@millrace/contracts';
import { useEffect } from 'react';
import { useCredentialModels } from '../../data/credentials.ts';
import { Input } from '../../ui/forms/input.tsx';
import { Picker } from '../../ui/forms/picker.tsx';
import { Select } from '../../ui/forms/select.tsx';
import type { ModelChoice } from './model-choice-store.ts';
import { useConversationTexts } from './texts/use-conversation-texts.ts';

interface ModelChoiceProps {
  credentials: readonly Credential[];
  choice: ModelChoice | null;
  onChoose: (choice: ModelChoice) => void;
}

/** Whether the choice names a credential that is there, and a model. */
export const canAnswer = (choice: ModelChoice | null, credentials: readonly Credential[]): boolean =>
  choice !== null && choice.model.trim() !== '' && credentials.some(({ id }) => id === choice.credential_id);

/** The credential and the model that answer. */
export function ModelChoiceFields({ credentials, choice, onChoose }: ModelChoiceProps) {
  const t = useConversationTexts();
  const known = credentials.find(({ id }) => id === choice?.credential_id) ?? credentials[0];
  const models = useCredentialModels(known?.id);
  const model = known?.id === choice?.credential_id ? (choice?.model ?? '') : '';
  const only = models.data?.length === 1 ? models.data[0]?.id : undefined;
  // The one model of a router needs no choice.
  useEffect(() => {
    if (known && model === '' && only !== undefined) onChoose({ credential_id: known.id, model: only });
  }, [known, model, only, onChoose]);
  if (!known) return null;
  const choose = (next: string) => onChoose({ credential_id: known.id, model: next });
  return (
    <>
      <Select
        aria-label={t('credential')}
        className="max-w-44"
        fit
        value={known.id}
        choices={credentials.map(({ id, name }) => ({ value: id, label: name }))}
        onChange={(credential_id) => onChoose({ credential_id, model: '' })}
      />
      {models.isLoadingError ? (
        <Input
          aria-label={t('model')}
          title={t('models_failed')}
          placeholder={t('model')}
          className="max-w-56"
          value={model}
          onChange={(event) => choose(event.target.value)}
        />
      ) : (
        <Picker
          aria-label={t('model')}
          className="max-w-56"
          fit
          value={model}
          placeholder={t('choose_model')}
          disabled={models.isPending}
          choices={(models.data ?? []).map(({ id, name }) => ({
            value: id,
            label: name,
            ...(name === id ? {} : { hint: id }),
          }))}
          onChange={choose}
        />
      )}
    </>
  );
}
