import { portalOrigin, type Workflow } from '@millrace/contracts';
import { useState } from 'react';
import { useUpdateWorkflow } from '../../../data/workflows.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { FormProblem } from '../../../ui/forms/form-problem.tsx';
import { TextArea } from '../../../ui/forms/input.tsx';
import { usePortalTexts } from './texts/use-portal-texts.ts';

const parseOrigins = (text: string): string[] =>
  text
    .split(/\s+/)
    .map((line) => line.replace(/\/$/, ''))
    .filter((line) => line !== '');

/** Which sites may show the chat, and what they put into their pages. */
export function PortalEmbedding({ workflow }: { workflow: Workflow }) {
  const t = usePortalTexts();
  const update = useUpdateWorkflow();
  const [text, setText] = useState(workflow.portal_allowed_origins.join('\n'));
  const origins = parseOrigins(text);
  const wrong = origins.find((origin) => !portalOrigin.safeParse(origin).success);
  if (!workflow.portal_enabled || !workflow.portal_slug)
    return <p className="pt-4 text-base text-soft">{t('embedding_off')}</p>;
  const chat = `${window.location.origin}/chat/${workflow.portal_slug}`;
  return (
    <div className="flex flex-col gap-4 pt-4">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (wrong === undefined) update.mutate({ id: workflow.id, portal_allowed_origins: origins });
        }}
      >
        <Field
          label={t('origins')}
          hint={t('origins_hint')}
          error={wrong === undefined ? undefined : t('origin_wrong', { origin: wrong })}
        >
          {(control) => (
            <TextArea
              {...control}
              rows={3}
              spellCheck={false}
              placeholder="https://www.example.com"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        <FormProblem text={update.error?.message} />
        <Button type="submit" tone="primary" busy={update.isPending} className="self-start">
          {t('save_origins')}
        </Button>
      </form>
      <div className="flex flex-col gap-2">
        <h3 className="text-base">{t('bubble')}</h3>
        <p className="text-sm text-faint">{t('bubble_hint')}</p>
        <CodeBlock wrap label={t('bubble')} code={`<script async src="${chat}/embed.js"></script>`} />
      </div>
      <div className="flex flex-col gap-2">
        <h3 className="text-base">{t('frame')}</h3>
        <CodeBlock
          wrap
          label={t('frame')}
          code={`<iframe src="${chat}" title="Chat" width="400" height="640" style="border: 0"></iframe>`}
        />
      </div>
    </div>
  );
}
