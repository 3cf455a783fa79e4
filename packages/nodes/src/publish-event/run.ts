import { isJsonObject } from '@millrace/engine';
import { implement } from '../implement.ts';
import { readJson, requiredText } from '../kit/integration/object-input.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { MAX_OWN_PAYLOAD, OWN_EVENT_NAME, OWN_EVENT_RULE } from '../kit/triggers/own-event.ts';
import { publishEvent } from './definition.ts';

export const runPublishEvent = implement(publishEvent, async ({ params, services, idempotency_key }) => {
  const name = requiredText(params, 'eventName');
  if (!OWN_EVENT_NAME.test(name)) throw refusedParam('eventName', OWN_EVENT_RULE);
  const payload = readJson(params, 'eventPayload') ?? {};
  if (!isJsonObject(payload))
    throw refusedParam('eventPayload', 'must be a JSON object such as {"order": 12}');
  if (JSON.stringify(payload).length > MAX_OWN_PAYLOAD)
    throw refusedParam('eventPayload', `must not be longer than ${MAX_OWN_PAYLOAD} characters as JSON`);
  return { output: { ...(await services.publishEvent({ name, payload }, idempotency_key)) } };
});
