import { type CredentialType, showNothing, storable, text } from '@millrace/engine/credential';
import { z } from 'zod';

const uuid = z.uuid().toLowerCase();

/** Options of a model router: an existing model credential and model, and when to use it (§2.7). */
const routerOption = z.object({
  id: z.string().max(64).optional(),
  label: z.string().trim().min(1, 'must not be empty').max(100),
  credential_id: uuid,
  model: z.string().trim().min(1, 'must not be empty').max(255),
  criteria: storable(4_000).default(''),
  /** Used when routing fails (§3.5). */
  is_default: z.boolean().default(false),
});

export const modelRouterConfig = z
  .strictObject({
    decision_credential_id: uuid,
    decision_model: z.string().trim().min(1, 'must not be empty').max(255),
    routing_instructions: storable(4_000).default(''),
    options: z.array(routerOption).min(2, 'give at least two options').max(50),
    timeout_seconds: z.number().int().min(1).max(300).default(10),
  })
  .superRefine(({ options }, ctx) => {
    const labels = new Set<string>();
    options.forEach(({ label }, index) => {
      const key = label.toLowerCase();
      if (labels.has(key)) {
        ctx.addIssue({ code: 'custom', path: ['options', index, 'label'], message: 'is used twice' });
      }
      labels.add(key);
    });
    if (options.filter((option) => option.is_default).length > 1) {
      ctx.addIssue({ code: 'custom', path: ['options'], message: 'only one option may be the fallback' });
    }
  })
  .meta({ id: 'ModelRouterConfig' });
export type ModelRouterConfig = z.infer<typeof modelRouterConfig>;

export const modelRouterCredential: CredentialType = {
  type: 'model_router',
  title: 'Model router',
  group: 'models',
  fields: [
    text('decision_credential_id', 'Decision model credential', { required: true }),
    text('decision_model', 'Decision model', { required: true }),
    text('routing_instructions', 'Routing instructions'),
    { name: 'options', label: 'Options', kind: 'list', required: true },
    { name: 'timeout_seconds', label: 'Timeout in seconds', kind: 'integer', default: 10, max: 300 },
  ],
  masked: showNothing,
  expression: () => '',
  public_fields: ['decision_model', 'option_count'],
  schema: modelRouterConfig,
};
