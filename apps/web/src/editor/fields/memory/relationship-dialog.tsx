import { type AgentMemoryEdge, type AgentMemoryNode, createAgentMemoryEdge } from '@millrace/contracts';
import { useId } from 'react';
import { type MemoryPlace, saveEdge, useMemoryChange } from '../../../data/agent-memory.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { Input } from '../../../ui/forms/input.tsx';
import { useForm } from '../../../ui/forms/use-form.ts';
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx';
import { toast } from '../../../ui/overlays/toast.ts';
import { ConfidenceField, parseConfidence } from './confidence-field.tsx';
import { useMemoryTexts } from './texts/use-memory-texts.ts';
import { useFirstFocus } from './use-first-focus.ts';

interface RelationshipDialogProps {
  place: MemoryPlace;
  entities: readonly AgentMemoryNode[];
  /** Absent: a new one. */
  relationship?: AgentMemoryEdge | undefined;
  onClose: () => void;
}

/** How two entities of a memory are related. */
export function RelationshipDialog({ place, entities, relationship, onClose }: RelationshipDialogProps) {
  const t = useMemoryTexts();
  const first = useFirstFocus();
  const names = useId();
  const change = useMemoryChange(place);
  const initial = {
    source_entity_name: relationship?.source_entity_name ?? '',
    relationship_type: relationship?.relationship_type ?? '',
    target_entity_name: relationship?.target_entity_name ?? '',
    confidence: String(relationship?.confidence ?? 1),
  };
  const buildBody = ({ confidence, ...values }: typeof initial) => ({
    ...values,
    properties: relationship?.properties ?? {},
    confidence: parseConfidence(confidence),
  });
  const form = useForm({
    initial,
    schema: createAgentMemoryEdge.body,
    toBody: buildBody,
    submit: async (values) => {
      await change.mutateAsync(() => saveEdge(place, relationship?.id, buildBody(values)));
      onClose();
      toast.done(t('saved'));
    },
  });
  const { values, errors } = form;
  const field = (name: Exclude<keyof typeof initial, 'confidence'>, label: string, hint?: string) => (
    <Field label={label} hint={hint} required error={errors[name]}>
      {(control) => (
        <Input
          {...control}
          {...(name === 'relationship_type' ? {} : { list: names })}
          {...(name === 'source_entity_name' ? { ref: first } : {})}
          value={values[name]}
          onChange={(event) => form.change({ [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <FormDialog
      form={form}
      title={relationship ? t('edit_relationship') : t('add_relationship')}
      onClose={onClose}
    >
      <datalist id={names}>
        {entities.map(({ id, entity_name }) => (
          <option key={id}>{entity_name}</option>
        ))}
      </datalist>
      {field('source_entity_name', t('source'))}
      {field('relationship_type', t('relationship'), t('relationship_hint'))}
      {field('target_entity_name', t('target'))}
      <ConfidenceField form={form} />
    </FormDialog>
  );
}
