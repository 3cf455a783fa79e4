import {
  type AnyEndpoint,
  bookingWebhook,
  chatbotWebhook,
  genericWebhook,
  interactionsWebhook,
  workspaceChatWebhook,
} from '@millrace/contracts';
import { buildEndpointUrl } from '@millrace/contracts/client';
import type { WorkflowNode } from '@millrace/engine';
import { toText } from '../../../lib/json/to-text.ts';
import type { Call } from '../../publish/endpoint/call-code.ts';

const ENDPOINTS: Readonly<Record<string, AnyEndpoint>> = {
  webhookTrigger: genericWebhook,
  telegramTrigger: chatbotWebhook,
  discordTrigger: interactionsWebhook,
  slackTrigger: workspaceChatWebhook,
  calTrigger: bookingWebhook,
};

/** Where deliveries to a node arrive once it is published; undefined for nodes without such an address. */
export function webhookAddress({ id, type }: Pick<WorkflowNode, 'id' | 'type'>): string | undefined {
  const endpoint = ENDPOINTS[type];
  return endpoint && buildEndpointUrl(endpoint, { params: { node_id: id } });
}

/** The proof that a delivery has to give; `closed`: the settings are incomplete, so that none is accepted. */
export type Verification = 'open' | 'closed' | 'header' | 'basic' | 'signature' | 'secret';

export function determineVerification({ type, data }: Pick<WorkflowNode, 'type' | 'data'>): Verification {
  const hasCredential = toText(data['credentialId']) !== '';
  if (type === 'telegramTrigger') return hasCredential ? 'secret' : 'open';
  if (type !== 'webhookTrigger') return hasCredential ? 'signature' : 'closed';
  const asked = data['authentication'] ?? 'none';
  if (asked === 'none') return hasCredential ? 'closed' : 'open';
  if (!hasCredential) return 'closed';
  return asked === 'header' || asked === 'basic' ? asked : 'signature';
}

const SENDS_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

function buildProofHeaders(
  node: Pick<WorkflowNode, 'type' | 'data'>,
  header: string,
): Record<string, string> {
  switch (determineVerification(node)) {
    case 'header':
      return { [header || 'Authorization']: '<VALUE>' };
    case 'basic':
      return { Authorization: 'Basic <USER:PASSWORD IN BASE64>' };
    case 'signature': {
      const algorithm = toText(node.data['signatureAlgorithm']) || 'sha256';
      const header = toText(node.data['signatureHeader']) || 'X-Hub-Signature-256';
      return { [header]: `${algorithm}=<SIGNATURE OF THE BODY>` };
    }
    default:
      return {};
  }
}

/**
 * A delivery to a webhook node as its sender makes it; the platforms make those to the nodes of their own.
 *
 * @param header the one that the credential names, for nodes that ask for one
 */
export function buildDelivery(
  node: WorkflowNode,
  { origin, header }: { origin: string; header: string },
): Call | undefined {
  const address = webhookAddress(node);
  if (address === undefined || node.type !== 'webhookTrigger') return undefined;
  const { methods } = node.data;
  const method = toText(Array.isArray(methods) ? methods[0] : undefined) || 'POST';
  const hasBody = SENDS_BODY.has(method);
  return {
    method,
    url: `${origin}${address}`,
    headers: {
      ...(hasBody ? { 'Content-Type': 'application/json' } : {}),
      ...buildProofHeaders(node, header),
    },
    body: hasBody ? JSON.stringify({ message: 'Hello' }) : undefined,
  };
}
