import * as contracts from '@millrace/contracts';
import { RESERVED_NAMES } from '@millrace/engine';
import type { Binder } from '../../http/bind.ts';
import { evaluate } from './service.ts';

/** Preview of expressions for the editor, the names that it warns of, and the zone of times. */
export function bindExpressions(binder: Binder): void {
  const { run_secrets } = binder.services;
  binder.json(contracts.evaluateExpression, (context, { body }) => evaluate(context, run_secrets, body));
  binder.json(contracts.listReservedNames, () => [...RESERVED_NAMES]);
  binder.json(contracts.readTimeZone, ({ config }) => ({ time_zone: config.TIMEZONE }));
}
