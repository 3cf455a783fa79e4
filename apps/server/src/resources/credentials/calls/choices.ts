import { type FieldMeta, fieldMeta, type NodeDefinition, NodeFailure } from '@millrace/engine';
import type { CredentialType } from '@millrace/engine/credential';
import type { ListedModel } from '@millrace/models';
import { credentialType } from '@millrace/nodes/credentials';
import { type ChoicePage, type ChoiceRequest, implementations } from '@millrace/nodes/runtime';
import { AppError, invalidField } from '../../../core/app-error.ts';
import type { Needs } from '../../../services.ts';
import type { ModelLists } from '../models/model-lists.ts';
import { requireReadable, requireUsable } from '../service.ts';
import { describeFailure, personalCaller, type ServiceAccess } from './service-caller.ts';

interface ChoiceQuery extends ChoiceRequest {
  /** Of the credential. */
  readonly id: string;
  readonly node_type: string;
  readonly list: string;
  readonly refresh: boolean;
}

/**
 * A page of what a parameter can name, for everyone who may use the credential: a run of theirs would see the same. What
 * the service refuses is a `bad_request` in its words, what it does not answer is `unavailable`.
 */
export async function listChoices(
  ctx: Needs<'db' | 'actor' | 'secrets' | 'now'>,
  { egress, renewals, model_lists }: ServiceAccess & { readonly model_lists: ModelLists },
  { id, node_type, list, refresh, ...request }: ChoiceQuery,
): Promise<ChoicePage> {
  const { credential } = await requireUsable(ctx, id);
  const implementation = implementations.get(node_type);
  if (!implementation) throw invalidField(['body', 'node_type'], 'is not a type of node that runs');
  const load = Object.hasOwn(implementation.choices, list) ? implementation.choices[list] : undefined;
  if (!load) throw invalidField(['body', 'list'], `is not a list of ${implementation.definition.title}`);
  const type = credentialType(credential.type);
  if (!type || !takesCredential(implementation.definition, type)) {
    throw invalidField(['body', 'node_type'], `does not take a credential of type ${credential.type}`);
  }
  let config = requireReadable(ctx, credential);
  try {
    config = await renewals.fresh(credential, config);
    const context = {
      ...personalCaller(egress, { type, config }, ctx.now),
      keepModels: (ask: () => Promise<ListedModel[]>) =>
        model_lists.of({ credential, is_fresh: refresh }, ask),
    };
    return await load(context, request);
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    const refused = error.failure.kind === 'credential' || isRefusal(error.failure.details?.['status']);
    throw new AppError(refused ? 'bad_request' : 'unavailable', describeFailure(error, type, config), {
      cause: error,
    });
  }
}

/** Of its own folder, or of another one that a field names. */
function takesCredential({ credentials, params }: NodeDefinition, type: CredentialType): boolean {
  const takes = (meta: FieldMeta | undefined): boolean =>
    meta?.credential_types?.includes(type.type) === true || Object.values(meta?.row_fields ?? {}).some(takes);
  return credentials.includes(type) || Object.values(params.shape).some((schema) => takes(fieldMeta(schema)));
}

const isRefusal = (status: unknown): boolean =>
  typeof status === 'number' && status >= 400 && status < 500 && status !== 429;
