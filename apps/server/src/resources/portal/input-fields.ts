import type { PortalInfo } from '@millrace/contracts';
import { inputProblem, uploadRule } from '@millrace/contracts/portal-input';
import type { JsonObject } from '@millrace/engine';
import { invalidField } from '../../core/app-error.ts';

/** Characters of everything in a message but the files of its fields, as JSON: it is kept and read again with each answer. */
const MOST_TYPED = 1024 * 1024;

/** @throws AppError `invalid_input` for a value that its field does not take */
export function requireFittingInputs(
  portal: Pick<PortalInfo, 'file_upload_enabled' | 'file_config' | 'input_fields'>,
  inputs: JsonObject,
): void {
  let typed = { ...inputs };
  for (const field of portal.input_fields) {
    const value = Object.hasOwn(inputs, field.key) ? inputs[field.key] : undefined;
    const rule = uploadRule(portal, field);
    const problem = inputProblem(field, value, rule);
    if (problem !== undefined) throw invalidField(['body', 'inputs', field.key], problem);
    if (rule && typeof value === 'string') {
      const { [field.key]: _, ...others } = typed;
      typed = others;
    }
  }
  if (JSON.stringify(typed).length > MOST_TYPED)
    throw invalidField(['body', 'inputs'], 'has more than 1 MB beside its files; shorten the message');
}
