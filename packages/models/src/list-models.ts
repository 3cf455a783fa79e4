import { isJsonObject } from '@millrace/engine';
import { FailedAttempt } from './answer/refusal.ts';
import { retrying } from './answer/retry.ts';
import { findCapabilities, type ModelCapabilities } from './known/capabilities.ts';
import type { ModelCaller, ModelProvider, ModelService } from './model-service.ts';
import { guardedFetch } from './provider/guarded-fetch.ts';

export interface ListedModel {
  readonly id: string;
  readonly name: string;
  /** Takes a reasoning effort in place of a temperature. */
  readonly is_reasoning: boolean;
  /** Both where its server does not say by the name. */
  readonly answers_with: readonly AnswerKind[];
  /** Absent where nothing is known. */
  readonly capabilities?: ModelCapabilities;
}

export type AnswerKind = 'text' | 'image';

const TIMEOUT_MS = 15_000;
const MAX_PAGES = 20;
const REASONING = /^(o\d|gpt-[5-9])/;
/** Models for embeddings, speech, films and moderation in the same list. */
const NEITHER_TEXT_NOR_IMAGES =
  /embed|whisper|tts|moderation|realtime|transcribe|audio|davinci|babbage|sora/i;
/** The second word also matches Imagen of Google. */
const MAKES_IMAGES = /dall-e|image/i;

interface Page {
  readonly models: readonly { readonly id: string; readonly name?: string | undefined }[];
  /** Query of the next page. */
  readonly next?: string | undefined;
}

/** Models that answer with text or with images, as the provider lists them for this key. Throws `NodeFailure` like `complete`. */
export async function listModels(
  caller: Omit<ModelCaller, 'mask'>,
  model: ModelService,
): Promise<ListedModel[]> {
  const { provider, service } = model;
  const fetch = guardedFetch({ ...caller, mask: (body) => body }, model, { timeout_ms: TIMEOUT_MS });
  const found: ListedModel[] = [];
  let query: string | undefined = firstQuery(provider);
  for (let count = 0; query !== undefined && count < MAX_PAGES; count++) {
    const address: string = `${service.base_url}/models${query}`;
    const body = await retrying(caller, model, async () => readJson(model.title, await fetch(address)));
    const { models, next } = parsePage(provider, body);
    found.push(...models.flatMap((entry) => listedModel(provider, entry)));
    query = next;
  }
  return provider === 'google' || provider === 'anthropic' ? found : found.sort(byId);
}

function listedModel(provider: ModelProvider, { id, name = id }: Page['models'][number]): ListedModel[] {
  const answers_with = getAnswerKinds(provider, id);
  if (answers_with.length === 0) return [];
  const capabilities = findCapabilities(provider, id);
  return [
    { id, name, is_reasoning: REASONING.test(id), answers_with, ...(capabilities ? { capabilities } : {}) },
  ];
}

function getAnswerKinds(provider: ModelProvider, id: string): readonly AnswerKind[] {
  if (provider === 'compatible') return ['text', 'image'];
  if (NEITHER_TEXT_NOR_IMAGES.test(id)) return [];
  return MAKES_IMAGES.test(id) ? ['image'] : ['text'];
}

const byId = (a: ListedModel, b: ListedModel): number => (a.id < b.id ? -1 : 1);

async function readJson(title: string, response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = `${title} did not return a list of models; check the address`;
    throw new FailedAttempt({ kind: 'upstream', message, final: true }, undefined, error);
  }
}

function firstQuery(provider: ModelProvider): string {
  if (provider === 'google') return '?pageSize=1000';
  return provider === 'anthropic' ? '?limit=1000' : '';
}

function parsePage(provider: ModelProvider, body: unknown): Page {
  if (provider === 'google') {
    const token = textIn(body, 'nextPageToken');
    return {
      models: listIn(body, 'models').filter(generates).flatMap(googleModel),
      next: token && `?pageSize=1000&pageToken=${encodeURIComponent(token)}`,
    };
  }
  const last = isJsonObject(body) && body['has_more'] === true ? textIn(body, 'last_id') : undefined;
  return {
    models: listIn(body, 'data').flatMap((entry) => {
      const id = textIn(entry, 'id');
      return id === undefined ? [] : [{ id, name: textIn(entry, 'display_name') }];
    }),
    next: provider === 'anthropic' && last ? `?limit=1000&after_id=${encodeURIComponent(last)}` : undefined,
  };
}

function googleModel(entry: unknown): Page['models'] {
  const id = textIn(entry, 'name')?.replace(/^models\//, '');
  return id === undefined ? [] : [{ id, name: textIn(entry, 'displayName') }];
}

/** Models that only embed name other methods; servers that name none offer what they list. */
function generates(entry: unknown): boolean {
  const methods = listIn(entry, 'supportedGenerationMethods');
  return methods.length === 0 || methods.includes('generateContent') || makesByPrediction(entry, methods);
}

/** Imagen is asked by another method than Gemini (ai.google.dev/gemini-api/docs/imagen). */
const makesByPrediction = (entry: unknown, methods: readonly unknown[]): boolean =>
  methods.includes('predict') && MAKES_IMAGES.test(textIn(entry, 'name') ?? '');

function listIn(value: unknown, key: string): unknown[] {
  const list = isJsonObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : [];
}

function textIn(value: unknown, key: string): string | undefined {
  const text = isJsonObject(value) ? value[key] : undefined;
  return typeof text === 'string' && text !== '' ? text : undefined;
}
