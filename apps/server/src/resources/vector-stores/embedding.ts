import { type CredentialConfig, readConfigText } from '@millrace/engine/credential';
import { embed, type ModelCaller } from '@millrace/models';

const OPENAI = 'https://api.openai.com/v1';
/** Of stores whose credential names no model. */
const USUAL_MODEL = 'text-embedding-3-large';
const USUAL_DIMENSIONS = 1536;
const TIMEOUT_MS = 60_000;

/** How texts become vectors. */
export interface Embedder {
  readonly dimensions: number;
  /** One vector per text, in the same order. */
  embed(texts: readonly string[]): Promise<number[][]>;
}

/** The model that the credential of a store names. */
export function createEmbedder(caller: ModelCaller, type: string, config: CredentialConfig): Embedder {
  const key = readConfigText(config, 'openai_api_key');
  const ownServer = type === 'rag' ? readConfigText(config, 'embedding_base_url').replace(/\/+$/, '') : '';
  const model = (type === 'rag' && readConfigText(config, 'embedding_model')) || USUAL_MODEL;
  const dimensions =
    (type === 'rag' && Number(readConfigText(config, 'embedding_dimensions'))) || USUAL_DIMENSIONS;
  const service = {
    title: 'The embedding server',
    provider: ownServer === '' ? 'openai' : 'compatible',
    service: { base_url: ownServer || OPENAI, headers: { authorization: `Bearer ${key}` } },
    secrets: [key],
  };
  return {
    dimensions,
    embed: (texts) => embed(caller, service, { model, dimensions, texts, timeout_ms: TIMEOUT_MS }),
  };
}
