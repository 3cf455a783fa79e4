import { createWorkflow, listWorkflows } from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../data/api.ts';
import { renew } from '../../data/endpoint.ts';
import { useWorkflow } from '../../data/workflows.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { Input } from '../../ui/forms/input.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { type Extraction, extract } from '../document/extract.ts';
import { useEditor } from '../state/context.tsx';
import { useExtract } from './extract-store.ts';
import { useExtractTexts } from './texts/use-extract-texts.ts';

/** A name as a label: `Price the order` becomes `priceTheOrder`. */
function labelFrom(name: string): string {
  const words = name.normalize('NFKD').match(/[A-Za-z0-9]+/g) ?? [];
  const [first = 'part', ...others] = words.map((word) => word.toLowerCase());
  const label = first + others.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return /^[A-Za-z]/.test(label) ? label : `part${label}`;
}

export function ExtractDialog() {
  const open = useExtract((state) => state.open);
  if (!open) return null;
  return <OpenDialog close={() => useExtract.setState({ open: false })} />;
}

/** Takes the chosen nodes out into a workflow of their own and calls it in their place. */
function OpenDialog({ close }: { close: () => void }) {
  const t = useExtractTexts();
  const { store, catalog, workflow_id, workflow_name } = useEditor();
  const { data: source } = useWorkflow(workflow_id);
  const queries = useQueryClient();
  const [name, setName] = useState(() => t('suggested_name', { name: workflow_name }));
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { document, selection } = store.getState();
  const plan = extract(catalog, document, { ids: selection.nodes, label: labelFrom(name) });

  const create = async ({ workflow, replace }: Extraction) => {
    setBusy(true);
    setProblem(undefined);
    // The meaning of the texts is unchanged.
    const strict_references = source?.strict_references === true;
    try {
      const created = await api(createWorkflow, {
        body: { name: name.trim(), ...workflow, strict_references },
      });
      void renew(queries, [listWorkflows]);
      const { document: replaced, id } = replace(created.id);
      store.getState().edit(() => replaced, { select: [id] });
      toast.done(t('done', { name: created.name }));
      close();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  };

  if ('problem' in plan) {
    return (
      <Dialog
        open
        onOpenChange={close}
        size="small"
        title={t('title')}
        description={t(`problem.${plan.problem}`)}
        footer={<Button onClick={close}>{t('close')}</Button>}
      />
    );
  }
  return (
    <Dialog
      open
      onOpenChange={close}
      title={t('title')}
      description={t('description', { count: selection.nodes.size })}
      footer={
        <>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button tone="primary" busy={busy} disabled={name.trim() === ''} onClick={() => void create(plan)}>
            {t('create')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label={t('name')} error={problem}>
          {(control) => <Input {...control} value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Labels title={t('inputs')} empty={t('no_inputs')} labels={plan.inputs} />
        <Labels title={t('outputs')} empty={t('no_outputs')} labels={plan.outputs} />
      </div>
    </Dialog>
  );
}

function Labels({ title, empty, labels }: { title: string; empty: string; labels: readonly string[] }) {
  return (
    <section>
      <h3 className="text-sm font-medium">{title}</h3>
      {labels.length === 0 ? <p className="text-sm text-faint">{empty}</p> : null}
      <ul className="mt-1 flex flex-wrap gap-1.5">
        {labels.map((label) => (
          <li key={label} className="rounded-s border border-line bg-sunken px-1.5 font-mono text-sm">
            ${label}
          </li>
        ))}
      </ul>
    </section>
  );
}
