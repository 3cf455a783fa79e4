import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

/** What the service itself tells workflows (§6.2). */
export const PLATFORM_EVENTS = [
  'instance.started',
  'workflow.created',
  'workflow.updated',
  'workflow.deleted',
  'credential.sign_in_ended',
] as const;
export type PlatformEventName = (typeof PLATFORM_EVENTS)[number];

/** Names under which other services' exports know an event. */
export const EVENT_ALIASES = { 'heym.started': 'instance.started' } as const;

const TITLES: Readonly<Record<PlatformEventName, string>> = {
  'instance.started': 'The service was started',
  'workflow.created': 'A workflow was created',
  'workflow.updated': 'A workflow was changed',
  'workflow.deleted': 'A workflow was deleted',
  'credential.sign_in_ended': 'The sign-in of a credential ended',
};

export const platformEventTrigger = defineNode({
  type: 'platformEventTrigger',
  aliases: ['heymTrigger'],
  title: 'Platform Event',
  family: 'trigger',
  summary: 'Starts the workflow when something happens within the service.',
  icon: 'radio',
  traits: { role: 'trigger', error_settings: false },
  params: z.object({
    eventNames: field
      .custom(z.array(z.enum([...PLATFORM_EVENTS, 'heym.started'])), 'Events', {
        kind: 'choices',
        choices: PLATFORM_EVENTS.map((value) => ({ value, title: TITLES[value] })),
        help: 'If none is selected, every event starts a run.',
      })
      .default([]),
  }),
  initial: { eventNames: [] },
  output: z.looseObject({
    events: z.array(z.json()).optional(),
    count: z.number().optional(),
    triggered_at: z.string().optional(),
  }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
  receives: 'event',
});
