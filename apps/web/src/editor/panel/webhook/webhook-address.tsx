import type { Workflow } from '@millrace/contracts';
import type { WorkflowNode } from '@millrace/engine';
import { readText } from '@millrace/engine/json';
import { useCredentials } from '../../../data/credentials.ts';
import { useWorkflow } from '../../../data/workflows.ts';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { asCurl } from '../../publish/endpoint/call-code.ts';
import { useIsUnpublished } from '../../publish/publish-state.tsx';
import { useEditor } from '../../state/context.tsx';
import { usePanelTexts } from '../texts/use-panel-texts.ts';
import { buildDelivery, determineVerification, webhookAddress } from './webhook-call.ts';

/** Where a published webhook node receives, and what deliveries have to prove. */
export function WebhookAddress({ node }: { node: WorkflowNode }) {
  const t = usePanelTexts('webhook');
  const { workflow_id } = useEditor();
  const { data: workflow } = useWorkflow(workflow_id);
  const address = webhookAddress(node);
  if (address === undefined) return null;
  return (
    <section className="flex flex-col gap-2 border-b border-line pb-3.5" aria-label={t('title')}>
      <h3 className="text-sm">{t('title')}</h3>
      <CodeBlock code={`${window.location.origin}${address}`} label={t('address')} wrap />
      {workflow ? <State workflow={workflow} /> : null}
      <p className="text-sm text-soft">{t(`verification.${determineVerification(node)}`)}</p>
    </section>
  );
}

/** How a delivery to a webhook node is sent. */
export function WebhookExample({ node }: { node: WorkflowNode }) {
  const t = usePanelTexts('webhook');
  const credential = useCredentials().data?.find(({ id }) => id === node.data['credentialId']);
  const header_key = credential?.public_fields['header_key'];
  const header = readText(header_key);
  const delivery = buildDelivery(node, { origin: window.location.origin, header });
  if (!delivery) return null;
  return (
    <section className="flex flex-col gap-2 border-t border-line pt-3" aria-label={t('example')}>
      <h3 className="text-sm">{t('example')}</h3>
      <CodeBlock code={asCurl(delivery)} caption="curl" label={t('delivery')} wrap />
    </section>
  );
}

/** Whether the address answers. */
function State({ workflow }: { workflow: Workflow }) {
  const t = usePanelTexts('webhook');
  const isUnpublished = useIsUnpublished(workflow);
  const { published, active, version_number: number } = workflow;
  if (!published) return <p className="text-sm text-warning">{t('never_published')}</p>;
  if (!active) return <p className="text-sm text-warning">{t('switched_off')}</p>;
  if (isUnpublished) return <p className="text-sm text-warning">{t('unpublished', { number })}</p>;
  return <p className="text-sm text-success">{t('live', { number })}</p>;
}
