import { capabilitiesOf, type ModelService } from '@millrace/models';
import { refusedParam } from '../refused-param.ts';
import type { Prepared } from './request.ts';

/** Refuses, before anything is sent, what the model is known not to take. Models of which nothing is known are asked. */
export function requireCapable(
  { provider }: Pick<ModelService, 'provider'>,
  model: string,
  { messages, tools = [], json }: Pick<Prepared, 'messages' | 'tools' | 'json'>,
): void {
  const known = capabilitiesOf(provider, model);
  if (!known) return;
  const hasImages = messages.some((message) => message.role === 'user' && (message.images ?? []).length > 0);
  if (hasImages && !known.vision) throw lacking(model, 'takes no images');
  if (tools.length > 0 && !known.tools) throw lacking(model, 'cannot use tools');
  if (json?.schema && !known.structured_output) throw lacking(model, 'cannot answer by a JSON Schema');
}

const lacking = (model: string, lack: string) =>
  refusedParam('model', `cannot be ${model}, which ${lack}; choose another model`);
