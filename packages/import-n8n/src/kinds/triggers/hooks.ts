import type { JsonObject } from '@millrace/engine';
import type { View } from '../../views/views.ts';
import type { Kind } from '../kind.ts';

interface Hook {
  readonly service: string;
  readonly view: View;
  /** How the service signs what it sends, or the header with a fixed value. */
  readonly sign: JsonObject;
  readonly eventId?: string;
}

const signed = (header: string, algorithm = 'sha256'): JsonObject => ({
  authentication: 'hmac',
  signatureHeader: header,
  signatureAlgorithm: algorithm,
});

/** n8n registers the address at the service by itself; here a person does. */
const hook = ({ service, view, sign, eventId }: Hook): Kind => ({
  view: () => view,
  convert: (_, to) => {
    to.params.ignoreOthers();
    to.say(
      `Register the address of this webhook at ${service} for the events that it had in n8n, and choose a credential with the secret`,
      'credentialId',
    );
    return {
      type: 'webhookTrigger',
      data: {
        methods: ['POST'],
        respond: 'immediately',
        ...sign,
        ...(eventId === undefined ? {} : { eventIdHeader: eventId }),
      },
    };
  },
});

const BODY: View = { first: '.body' };

/** Triggers of services that call a webhook. */
export const hooks: Readonly<Record<string, Kind>> = {
  shopifyTrigger: hook({
    service: 'Shopify',
    view: BODY,
    sign: signed('X-Shopify-Hmac-Sha256'),
    eventId: 'X-Shopify-Webhook-Id',
  }),
  wooCommerceTrigger: hook({ service: 'WooCommerce', view: BODY, sign: signed('X-WC-Webhook-Signature') }),
  githubTrigger: hook({
    service: 'GitHub',
    view: {},
    sign: signed('X-Hub-Signature-256'),
    eventId: 'X-GitHub-Delivery',
  }),
  gitlabTrigger: hook({ service: 'GitLab', view: {}, sign: { authentication: 'header' } }),
  slackTrigger: {
    view: () => ({ first: '.event.event' }),
    convert: (_, to) => {
      to.params.ignoreOthers();
      to.say(
        'Register its address at the workspace for the events that it had in n8n, and choose a credential with the signing secret',
        'credentialId',
      );
      return { type: 'slackTrigger', data: { credentialId: '' } };
    },
  },
};
