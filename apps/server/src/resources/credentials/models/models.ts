import type { CredentialModel } from '@millrace/contracts';
import { NodeFailure } from '@millrace/engine';
import { listModels as listProviderModels, type ModelProvider, mayHaveBatches } from '@millrace/models';
import { credentialType } from '@millrace/nodes/credentials';
import { openModelService } from '@millrace/nodes/runtime';
import { AppError } from '../../../core/app-error.ts';
import type { Needs } from '../../../services.ts';
import { describeFailure, personalCaller, type ServiceAccess } from '../calls/service-caller.ts';
import { requireReadable, requireUsable } from '../service.ts';
import { knownPrice } from './model-facts.ts';
import type { ModelLists } from './model-lists.ts';

/** §2.7: a router's only model. It supports neither batch mode nor the Responses API (§8.4). */
const AUTO: CredentialModel = {
  id: 'auto',
  name: 'Auto',
  is_reasoning: false,
  supports_batch: false,
  batch_support_reason: 'A model router cannot be used in batch mode',
  capabilities: null,
  price: null,
};

/** Models of a credential that answer with text, as its provider lists them. */
export async function listModels(
  ctx: Needs<'db' | 'actor' | 'secrets' | 'now' | 'config'>,
  { egress, model_lists }: Pick<ServiceAccess, 'egress'> & { readonly model_lists: ModelLists },
  { id, refresh }: { readonly id: string; readonly refresh: boolean },
): Promise<CredentialModel[]> {
  const { credential } = await requireUsable(ctx, id);
  if (credential.type === 'model_router') return [AUTO];
  const type = credentialType(credential.type);
  if (!type?.model) throw new AppError('bad_request', 'The credential is not of a model type');
  const config = requireReadable(ctx, credential);
  const { caller } = personalCaller(egress, { type, config }, ctx.now);
  try {
    const service = openModelService(type.type, config);
    const wanted = { credential, is_fresh: refresh };
    const models = await model_lists.of(wanted, () => listProviderModels(caller, service));
    return models
      .filter(({ answers_with }) => answers_with.includes('text'))
      .map(({ id: model, name, is_reasoning, capabilities = null }) => ({
        id: model,
        name,
        is_reasoning,
        ...batchSupport(service.provider),
        capabilities,
        price: knownPrice({ provider: service.provider, model }, ctx.config.MODEL_PRICES),
      }));
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    const { status } = error.failure.details ?? {};
    const isRefused = error.failure.kind === 'credential' || status === 403;
    throw new AppError(isRefused ? 'bad_request' : 'unavailable', describeFailure(error, type, config), {
      cause: error,
    });
  }
}

/** As batch mode of the Language Model node decides it. */
const batchSupport = (
  provider: ModelProvider,
): Pick<CredentialModel, 'supports_batch' | 'batch_support_reason'> =>
  mayHaveBatches(provider)
    ? { supports_batch: true, batch_support_reason: null }
    : { supports_batch: false, batch_support_reason: 'Batch mode needs OpenAI or a compatible server' };
