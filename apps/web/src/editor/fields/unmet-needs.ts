import type { ModelCapabilities } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';

/** The needs of a node that its model is known not to meet; a run refuses it before the model is asked. */
export function unmetNeeds(
  capabilities: ModelCapabilities | null,
  { imageInputEnabled, jsonOutputEnabled, jsonOutputSchema }: JsonObject,
): ('takes_no_images' | 'follows_no_schema')[] {
  if (!capabilities) return [];
  const hasSchema =
    jsonOutputEnabled === true && typeof jsonOutputSchema === 'string' && jsonOutputSchema.trim() !== '';
  return [
    ...(imageInputEnabled === true && !capabilities.vision ? (['takes_no_images'] as const) : []),
    ...(hasSchema && !capabilities.structured_output ? (['follows_no_schema'] as const) : []),
  ];
}
