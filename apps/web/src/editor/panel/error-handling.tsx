import type { Json, WorkflowNode } from '@millrace/engine';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import type { ChangeParameter } from './frame/node-field.tsx';
import { usePanelTexts } from './texts/use-panel-texts.ts';

const LIMITS = { attempts: { min: 1, max: 10, start: 3 }, wait: { min: 1, max: 60, start: 5 } } as const;

interface ErrorHandlingProps {
  node: WorkflowNode;
  onChange: ChangeParameter;
}

interface NumberSettingProps {
  label: string;
  value: Json | undefined;
  limits: { min: number; max: number; start: number };
  onChange: (value: number) => void;
}

function NumberSetting({ label, value, limits, onChange }: NumberSettingProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Input
          {...control}
          type="number"
          min={limits.min}
          max={limits.max}
          value={typeof value === 'number' ? value : limits.start}
          onChange={(event) =>
            onChange(Math.min(limits.max, Math.max(limits.min, Number(event.target.value))))
          }
        />
      )}
    </Field>
  );
}

/** Retry and "continue on error", the same for every node that offers them. */
export function ErrorHandling({ node, onChange }: ErrorHandlingProps) {
  const t = usePanelTexts('panel');
  const retries = node.data['retryEnabled'] === true;
  return (
    <fieldset className="flex flex-col gap-3 border-t border-line pt-3">
      <legend className="sr-only">{t('error_handling')}</legend>
      <Switch
        label={t('retry')}
        hint={t('retry_hint')}
        checked={retries}
        onChange={onChange('retryEnabled')}
      />
      {retries ? (
        <div className="grid grid-cols-2 gap-2">
          <NumberSetting
            label={t('attempts')}
            value={node.data['retryMaxAttempts']}
            limits={LIMITS.attempts}
            onChange={onChange('retryMaxAttempts')}
          />
          <NumberSetting
            label={t('wait_seconds')}
            value={node.data['retryWaitSeconds']}
            limits={LIMITS.wait}
            onChange={onChange('retryWaitSeconds')}
          />
        </div>
      ) : null}
      <Switch
        label={t('continue_on_error')}
        hint={t('continue_on_error_hint')}
        checked={node.data['onErrorEnabled'] === true}
        onChange={onChange('onErrorEnabled')}
      />
    </fieldset>
  );
}
