import { EVAL_LIMITS, type EvalSuite, type GeneratedEvalCase } from '@millrace/contracts';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useModelCredentials } from '../../data/credentials.ts';
import { useAddEvalTestCases, useGenerateEvalTestData, useOptimizeEvalPrompt } from '../../data/evals.ts';
import { canAnswer, ModelChoiceFields } from '../../features/conversation/model-choice.tsx';
import type { ModelChoice } from '../../features/conversation/model-choice-store.ts';
import { NoModel } from '../../features/conversation/with-models.tsx';
import { Button } from '../../ui/actions/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { useEvalsTexts } from './texts/use-evals-texts.ts';

interface AskingProps {
  title: string;
  hint: string;
  /** On the button that asks. */
  action: string;
  busy: boolean;
  problem: string | undefined;
  onAsk: (choice: ModelChoice) => void;
  onClose: () => void;
  /** Button that takes the proposal, once there is one. */
  take?: ReactNode;
  children?: ReactNode;
}

/** A dialog that asks a model for a proposal. */
function AskingDialog({ title, hint, action, busy, problem, onAsk, onClose, take, children }: AskingProps) {
  const ui = useTranslations('ui');
  const { data: credentials = [], isPending } = useModelCredentials();
  const [choice, setChoice] = useState<ModelChoice | null>(null);
  const ready = choice !== null && canAnswer(choice, credentials);
  return (
    <Dialog
      open
      size="large"
      title={title}
      description={hint}
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{ui('cancel')}</Button>
          <Button
            {...(take ? {} : { tone: 'primary' as const })}
            busy={busy}
            disabled={!ready}
            onClick={() => {
              if (choice) onAsk(choice);
            }}
          >
            {action}
          </Button>
          {take}
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <FormProblem text={problem} />
        {credentials.length === 0 && !isPending ? (
          <NoModel />
        ) : (
          <div className="flex flex-wrap gap-2">
            <ModelChoiceFields credentials={credentials} choice={choice} onChoose={setChoice} />
          </div>
        )}
        {children}
      </div>
    </Dialog>
  );
}

interface OptimizeProps {
  suite: EvalSuite;
  /** The prompt as it is in the field, saved or not. */
  prompt: string;
  onUse: (prompt: string) => void;
  onClose: () => void;
}

/** A better prompt of a model beside the present one; nothing changes until the person uses it. */
export function OptimizeDialog({ suite, prompt, onUse, onClose }: OptimizeProps) {
  const t = useEvalsTexts();
  const optimize = useOptimizeEvalPrompt();
  const proposed = optimize.data?.optimized_prompt;
  const fields = [
    ['system_prompt', prompt],
    ['proposed_prompt', proposed],
  ] as const;
  return (
    <AskingDialog
      title={t('improve')}
      hint={t('improve_hint')}
      action={t('improve_action')}
      busy={optimize.isPending}
      problem={optimize.error?.message}
      onAsk={(choice) =>
        optimize.mutate({ params: { id: suite.id }, body: { ...choice, system_prompt: prompt } })
      }
      onClose={onClose}
      take={
        proposed === undefined ? null : (
          <Button tone="primary" onClick={() => onUse(proposed)}>
            {t('use_prompt')}
          </Button>
        )
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        {fields.map(([key, text]) =>
          text === undefined ? null : (
            <Field key={key} label={t(key)}>
              {(control) => <TextArea {...control} rows={12} readOnly value={text} />}
            </Field>
          ),
        )}
      </div>
    </AskingDialog>
  );
}

/** Further test cases of a model, of which the person chooses. */
export function GenerateDialog({ suite, onClose }: { suite: EvalSuite; onClose: () => void }) {
  const t = useEvalsTexts();
  const generate = useGenerateEvalTestData();
  const add = useAddEvalTestCases();
  const [count, setCount] = useState('5');
  const [left, setLeft] = useState<ReadonlySet<GeneratedEvalCase>>(new Set());
  const proposed = generate.data?.test_cases ?? [];
  const chosen = proposed.filter((one) => !left.has(one));
  const take = () =>
    add.mutate(
      { id: suite.id, cases: chosen },
      {
        onSuccess: () => {
          toast.done(t('added', { count: chosen.length }));
          onClose();
        },
      },
    );
  const toggle = (one: GeneratedEvalCase, isChosen: boolean) =>
    setLeft(new Set(isChosen ? [...left].filter((other) => other !== one) : [...left, one]));
  return (
    <AskingDialog
      title={t('generate')}
      hint={t('generate_hint')}
      action={t('generate_action')}
      busy={generate.isPending}
      problem={generate.error?.message ?? add.error?.message}
      onAsk={(choice) =>
        generate.mutate({ params: { id: suite.id }, body: { ...choice, count: Number(count) } })
      }
      onClose={onClose}
      take={
        proposed.length === 0 ? null : (
          <Button tone="primary" busy={add.isPending} disabled={chosen.length === 0} onClick={take}>
            {t('add_chosen', { count: chosen.length })}
          </Button>
        )
      }
    >
      <Field label={t('how_many')}>
        {(control) => (
          <Input
            {...control}
            type="number"
            min={1}
            max={EVAL_LIMITS.generated_cases}
            className="max-w-28"
            value={count}
            onChange={(event) => setCount(event.target.value)}
          />
        )}
      </Field>
      {proposed.length === 0 ? null : (
        <section aria-label={t('generated')}>
          <ul className="flex flex-col divide-y divide-line">
            {proposed.map((one) => (
              <li key={`${one.input}\n${one.expected_output}`} className="flex flex-col gap-1 py-2">
                <Checkbox
                  checked={!left.has(one)}
                  onChange={(isChosen) => toggle(one, isChosen)}
                  label={<span className="break-words whitespace-pre-wrap">{one.input}</span>}
                />
                <p className="pl-6 text-sm break-words whitespace-pre-wrap text-soft">
                  {one.expected_output}
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </AskingDialog>
  );
}
