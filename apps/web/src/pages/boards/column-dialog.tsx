import {
  BOARD_COLORS,
  BOARD_LIMITS,
  type BoardColor,
  type BoardColumn,
  updateBoardColumn,
} from '@millrace/contracts';
import { clsx } from 'clsx';
import { ArrowDown, ArrowUp, X } from 'lucide-react';
import { useSaveColumn } from '../../data/boards.ts';
import { useWorkflows } from '../../data/workflows.ts';
import { IconButton } from '../../ui/actions/icon-button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { NameField } from '../../ui/forms/name-fields.tsx';
import { Picker } from '../../ui/forms/picker.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { Checkbox } from '../../ui/forms/toggles.tsx';
import { useForm } from '../../ui/forms/use-form.ts';
import { FormDialog } from '../../ui/overlays/form-dialog.tsx';
import { COLORS } from './column-view.tsx';
import { useBoardsTexts } from './texts/use-boards-texts.ts';

interface Step {
  /** Distinguishes two entries of the same workflow. */
  key: number;
  id: string;
  name: string;
}

interface Values {
  name: string;
  color: BoardColor;
  ai_instructions: string;
  auto_advance: boolean;
  chain: Step[];
}

let lastKey = 0;
const step = (id: string, name: string): Step => {
  lastKey += 1;
  return { key: lastKey, id, name };
};

interface ColumnDialogProps {
  board_id: string;
  /** A stored one to change; absent for a new one. */
  column?: BoardColumn;
  /** Workflows run as the owner, who alone may choose them. */
  isOwner: boolean;
  onClose: () => void;
}

/** Name, colour and instructions of a column, and the workflows that it starts, in their order. */
export function ColumnDialog({ board_id, column, isOwner, onClose }: ColumnDialogProps) {
  const t = useBoardsTexts();
  const save = useSaveColumn(board_id, column?.id);
  const buildBody = ({ chain, ...values }: Values) => ({
    ...values,
    ...(isOwner ? { workflow_ids: chain.map(({ id }) => id) } : {}),
  });
  const form = useForm<Values>({
    initial: {
      name: column?.name ?? '',
      color: column?.color ?? 'gray',
      ai_instructions: column?.ai_instructions ?? '',
      auto_advance: column?.auto_advance ?? false,
      chain: (column?.workflows ?? []).map(({ workflow_id, workflow_name }) =>
        step(workflow_id, workflow_name),
      ),
    },
    schema: updateBoardColumn.body,
    toBody: buildBody,
    submit: async (values) => {
      await save.mutateAsync(buildBody(values));
      onClose();
    },
  });
  const { values, change, errors } = form;
  return (
    <FormDialog form={form} title={column ? t('edit_column') : t('add_column')} onClose={onClose}>
      <NameField form={form} />
      <Field label={t('color')}>
        {(control) => (
          <Select
            {...control}
            value={values.color}
            choices={BOARD_COLORS.map((value) => ({
              value,
              label: t(`color_${value}`),
              icon: <span aria-hidden className={clsx('block size-2.5 rounded-full', COLORS[value])} />,
            }))}
            onChange={(color) => change({ color })}
          />
        )}
      </Field>
      <Chain steps={values.chain} isOwner={isOwner} onChange={(chain) => change({ chain })} />
      <Field
        label={t('instructions')}
        optional
        hint={t('instructions_hint')}
        error={errors['ai_instructions']}
      >
        {(control) => (
          <TextArea
            {...control}
            rows={3}
            value={values.ai_instructions}
            onChange={(event) => change({ ai_instructions: event.target.value })}
          />
        )}
      </Field>
      <Checkbox
        label={t('auto_advance')}
        checked={values.auto_advance}
        onChange={(auto_advance) => change({ auto_advance })}
      />
    </FormDialog>
  );
}

interface ChainProps {
  steps: Step[];
  isOwner: boolean;
  onChange: (steps: Step[]) => void;
}

function Chain({ steps, isOwner, onChange }: ChainProps) {
  const t = useBoardsTexts();
  const { data: workflows = [] } = useWorkflows();
  const swap = (at: number, to: number) =>
    onChange(steps.map((one, place) => (place === at ? steps[to] : place === to ? steps[at] : one) ?? one));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="pb-1 text-sm font-medium">{t('chain')}</legend>
      <p className="text-sm text-soft">{isOwner ? t('chain_hint') : t('chain_owner')}</p>
      <ol className="flex flex-col gap-1">
        {steps.map(({ key, name }, at) => (
          <li key={key} className="flex items-center gap-1 rounded-m border border-line py-1 pr-1 pl-2.5">
            <span className="min-w-0 grow truncate">
              {at + 1}. {name}
            </span>
            {isOwner ? (
              <>
                <IconButton
                  size="small"
                  label={t('earlier', { name })}
                  icon={<ArrowUp aria-hidden />}
                  disabled={at === 0}
                  onClick={() => swap(at, at - 1)}
                />
                <IconButton
                  size="small"
                  label={t('later', { name })}
                  icon={<ArrowDown aria-hidden />}
                  disabled={at === steps.length - 1}
                  onClick={() => swap(at, at + 1)}
                />
                <IconButton
                  size="small"
                  label={t('remove', { name })}
                  icon={<X aria-hidden />}
                  onClick={() => onChange(steps.filter((one) => one.key !== key))}
                />
              </>
            ) : null}
          </li>
        ))}
      </ol>
      {isOwner && steps.length < BOARD_LIMITS.chain ? (
        <Picker
          aria-label={t('add_workflow')}
          value=""
          placeholder={t('add_workflow')}
          choices={workflows.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => {
            const found = workflows.find((workflow) => workflow.id === id);
            if (found) onChange([...steps, step(found.id, found.name)]);
          }}
        />
      ) : null}
    </fieldset>
  );
}
