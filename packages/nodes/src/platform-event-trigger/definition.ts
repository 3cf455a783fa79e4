import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';
import { OWN_EVENT_NAME, OWN_EVENT_RULE } from '../kit/triggers/own-event.ts';

/** Events of the service itself (§6.2). */
export const PLATFORM_EVENTS = [
  'instance.started',
  'workflow.created',
  'workflow.updated',
  'workflow.deleted',
  'credential.expiring',
  'credential.sign_in_ended',
  'trigger.failing',
  'run.finished',
  'run.failed',
] as const;
export type PlatformEventName = (typeof PLATFORM_EVENTS)[number];

/** Every run has one of them, so a trigger gets them only where it names them. */
export const RUN_EVENTS = ['run.finished', 'run.failed'] as const satisfies readonly PlatformEventName[];
export type RunEventName = (typeof RUN_EVENTS)[number];

/** The names in a list of own events. */
export const ownNames = (text: string): string[] => text.split(/[\s,]+/).filter((name) => name !== '');

/** Names under which other services' exports know an event. */
export const EVENT_ALIASES = { 'heym.started': 'instance.started' } as const;

const TITLES: Readonly<Record<PlatformEventName, string>> = {
  'instance.started': 'The service was started',
  'workflow.created': 'A workflow was created',
  'workflow.updated': 'A workflow was changed',
  'workflow.deleted': 'A workflow was deleted',
  'credential.expiring': 'The sign-in of a credential ends soon',
  'credential.sign_in_ended': 'The sign-in of a credential ended',
  'trigger.failing': 'A trigger started to fail',
  'run.finished': 'A run succeeded',
  'run.failed': 'A run failed',
};

export const platformEventTrigger = defineNode({
  type: 'platformEventTrigger',
  aliases: ['heymTrigger'],
  title: 'Platform Event',
  family: 'trigger',
  summary: 'Starts the workflow when something happens within the service.',
  search_words: ['error trigger', 'workflow trigger', 'event'],
  icon: 'radio',
  traits: { role: 'trigger', error_settings: false },
  params: z.object({
    eventNames: field
      .custom(z.array(z.enum([...PLATFORM_EVENTS, 'heym.started'])), 'Events', {
        kind: 'choices',
        choices: PLATFORM_EVENTS.map((value) => ({ value, title: TITLES[value] })),
        help: 'If neither these nor own events are chosen, every event except those of runs starts a run.',
      })
      .default([]),
    ownEventNames: field
      .custom(
        z.string().refine((text) => ownNames(text).every((name) => OWN_EVENT_NAME.test(name)), {
          error: `each ${OWN_EVENT_RULE}`,
        }),
        'Own events',
        {
          kind: 'text',
          placeholder: 'custom.order.paid',
          help: 'Names of events that you publish yourself, separated by commas.',
        },
      )
      .default(''),
  }),
  initial: { eventNames: [], ownEventNames: '' },
  output: z.looseObject({
    events: z.array(z.json()).optional(),
    count: z.number().optional(),
    triggered_at: z.string().optional(),
  }),
  ports: () => ({ inputs: [], outputs: ['output'] }),
  receives: 'event',
});
