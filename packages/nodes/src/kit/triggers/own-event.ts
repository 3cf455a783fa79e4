/** Names of events that people publish: their first word sets them apart from all events of the service. */
export const OWN_EVENT_NAME = /^custom(\.[a-z0-9][a-z0-9_-]{0,49}){1,6}$/;

/** The problem with a name that does not fit; follows the name of the field. */
export const OWN_EVENT_RULE =
  'must be "custom." followed by up to six words of lower-case letters, digits, _ and - joined by dots, such as custom.order.paid';

/** Of a payload as JSON text: a run may receive a thousand events. */
export const MAX_OWN_PAYLOAD = 16_384;
