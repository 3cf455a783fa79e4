import { type AgentMemoryNode, createAgentMemoryNode } from '@millrace/contracts';
import { type MemoryPlace, saveNode, useMemoryChange } from '../../../data/agent-memory.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { Input } from '../../../ui/forms/input.tsx';
import { useForm } from '../../../ui/forms/use-form.ts';
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx';
import { toast } from '../../../ui/overlays/toast.ts';
import { RowList } from '../row-list.tsx';
import { ConfidenceField, parseConfidence } from './confidence-field.tsx';
import { propertyRows, toProperties } from './property-rows.ts';
import { useMemoryTexts } from './texts/use-memory-texts.ts';
import { useFirstFocus } from './use-first-focus.ts';

interface EntityDialogProps {
  place: MemoryPlace;
  /** Absent: a new one. */
  entity?: AgentMemoryNode | undefined;
  onClose: () => void;
}

/** One entity of a memory. */
export function EntityDialog({ place, entity, onClose }: EntityDialogProps) {
  const t = useMemoryTexts();
  const first = useFirstFocus();
  const change = useMemoryChange(place);
  const before = entity?.properties ?? {};
  const buildBody = ({ entity_name, entity_type, rows, confidence }: typeof initial) => ({
    entity_name,
    entity_type,
    properties: toProperties(rows, before),
    confidence: parseConfidence(confidence),
  });
  const initial = {
    entity_name: entity?.entity_name ?? '',
    entity_type: entity?.entity_type ?? '',
    rows: propertyRows(before),
    confidence: String(entity?.confidence ?? 1),
  };
  const form = useForm({
    initial,
    schema: createAgentMemoryNode.body,
    toBody: buildBody,
    submit: async (values) => {
      await change.mutateAsync(() => saveNode(place, entity?.id, buildBody(values)));
      onClose();
      toast.done(t('saved'));
    },
  });
  const { values, errors } = form;
  return (
    <FormDialog form={form} title={entity ? t('edit_entity') : t('add_entity')} onClose={onClose}>
      <Field label={t('name')} required error={errors['entity_name']}>
        {(control) => (
          <Input
            {...control}
            ref={first}
            value={values.entity_name}
            onChange={(event) => form.change({ entity_name: event.target.value })}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-[1fr_160px]">
        <Field label={t('type')} hint={t('type_hint')} required error={errors['entity_type']}>
          {(control) => (
            <Input
              {...control}
              value={values.entity_type}
              onChange={(event) => form.change({ entity_type: event.target.value })}
            />
          )}
        </Field>
        <ConfidenceField form={form} />
      </div>
      <RowList
        title={t('properties')}
        problem={errors['properties']}
        rows={values.rows}
        empty={{ name: '', value: '' }}
        onChange={(rows) => form.change({ rows })}
        draw={(row, index, set) => (
          <div className="grid grid-cols-2 gap-1.5">
            <Input
              aria-label={t('property_name', { row: index + 1 })}
              value={row.name}
              onChange={(event) => set({ ...row, name: event.target.value })}
            />
            <Input
              aria-label={t('property_value', { row: index + 1 })}
              value={row.value}
              onChange={(event) => set({ ...row, value: event.target.value })}
            />
          </div>
        )}
      />
    </FormDialog>
  );
}
