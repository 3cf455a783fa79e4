import type { JsonObject } from '@millrace/engine';
import type { StepCall } from '../../node-call.ts';
import type { NodeServices } from '../../services.ts';

interface Checker extends Pick<StepCall, 'signal'> {
  readonly services: Pick<NodeServices, 'parsers'>;
}

/**
 * `checkArguments` outside the event loop: a schema of a few hundred characters that refers to itself can take hours.
 *
 * @returns false when the schema cannot be checked here
 */
export const isChecked = (
  { services, signal }: Checker,
  input: JsonObject,
  schema: JsonObject,
): Promise<boolean> =>
  services.parsers.run('arguments', [input, schema], {
    what: 'The arguments of the tool',
    action: 'check',
    field: 'toolArguments',
    signal,
  });
