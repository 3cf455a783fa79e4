import type { CredentialModel } from '@millrace/contracts';
import { isJsonObject, NodeFailure } from '@millrace/engine';
import { type CredentialConfig } from '@millrace/engine/credential';
import { credentialType } from '@millrace/nodes/credentials';
import type { Egress } from '@millrace/nodes/runtime';
import { AppError } from '../../core/app-error.ts';
import type { Needs } from '../../execution/context.ts';
import { ask } from './probe.ts';
import { requireReadable, requireUsable } from './service.ts';

/** §2.7: a router's only model. It supports neither batch mode nor the Responses API (§8.4). */
const AUTO: CredentialModel = {
  id: 'auto',
  name: 'Auto',
  is_reasoning: false,
  supports_batch: false,
  batch_support_reason: 'A model router cannot be used in batch mode',
};

const REASONING = /^(o\d|gpt-[5-9])/;
/** Models of other trades in the same list. */
const NOT_CHAT = /embed|whisper|tts|dall-e|moderation|realtime|transcribe|audio|image|davinci|babbage/i;

function modelOf(type: string, id: string, name = id): CredentialModel {
  const supports_batch = type === 'openai';
  return {
    id,
    name,
    is_reasoning: REASONING.test(id),
    supports_batch,
    batch_support_reason: supports_batch ? null : 'The provider offers no batch mode here',
  };
}

function texts(list: unknown, key: string): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    const value = isJsonObject(item) ? item[key] : undefined;
    return typeof value === 'string' ? [value] : [];
  });
}

const objectOf = (json: unknown): Record<string, unknown> => (isJsonObject(json) ? json : {});

async function providerModels(
  egress: Egress,
  type: string,
  config: CredentialConfig,
): Promise<CredentialModel[]> {
  const service = credentialType(type)?.connect?.(config);
  if (!service) return [];
  const { base_url, headers = {} } = service;
  const path = type === 'google' ? '/models?pageSize=1000' : '/models';
  const { status, json } = await ask(egress, { url: base_url + path, headers });
  requireOk(status);
  if (type === 'google') {
    const names = texts(objectOf(json)['models'], 'name').map((name) => name.replace(/^models\//, ''));
    return names.filter((id) => !NOT_CHAT.test(id)).map((id) => modelOf(type, id));
  }
  const ids = texts(objectOf(json)['data'], 'id');
  return ids
    .filter((id) => type === 'custom' || !NOT_CHAT.test(id))
    .sort()
    .map((id) => modelOf(type, id));
}

function requireOk(status: number): void {
  if (status === 401 || status === 403) throw new AppError('bad_request', 'The provider refused the API key');
  if (status < 200 || status >= 300) {
    throw new AppError('unavailable', `The provider answered with status ${status}`);
  }
}

/** Models that a credential gives access to, asked from its provider. */
export async function listModels(
  ctx: Needs<'db' | 'actor' | 'secrets'>,
  egress: Egress,
  id: string,
): Promise<CredentialModel[]> {
  const { credential } = await requireUsable(ctx, id);
  if (credential.type === 'model_router') return [AUTO];
  if (!credentialType(credential.type)?.model) {
    throw new AppError('bad_request', 'The credential is not of a model type');
  }
  try {
    return await providerModels(egress, credential.type, requireReadable(ctx, credential));
  } catch (error) {
    if (error instanceof NodeFailure) {
      throw new AppError('unavailable', error.failure.message, { cause: error });
    }
    throw error;
  }
}
