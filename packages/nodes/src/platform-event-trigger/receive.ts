import { receive } from '../receive.ts';
import { EVENT_ALIASES, ownNames, platformEventTrigger } from './definition.ts';

/** §6.2. */
export const receivePlatformEvents = receive(platformEventTrigger, {
  kind: 'event',
  source: 'heym_event',
  causes_kept_days: 7,
  names: ({ params }) => [
    ...params.eventNames.map((name) => (name === 'heym.started' ? EVENT_ALIASES[name] : name)),
    ...ownNames(params.ownEventNames),
  ],
  input: ({ node_id, services }, events) => ({
    events: [...events],
    count: events.length,
    triggered_by: 'heym_event',
    trigger_node_id: node_id,
    triggered_at: new Date(services.now()).toISOString(),
  }),
});
