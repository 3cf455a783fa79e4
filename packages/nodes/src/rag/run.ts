import { isJsonObject, type Json, type JsonObject } from '@millrace/engine';
import type { z } from 'zod';
import { implement, type NodeCall } from '../implement.ts';
import { buildConnection, callJson } from '../kit/integration/call-json.ts';
import { readCount, readObject, requiredText } from '../kit/integration/object-input.ts';
import { listIn } from '../kit/integration/paging.ts';
import { createCaller, readCredential } from '../kit/integration/run-caller.ts';
import { refusedParam } from '../kit/refused-param.ts';
import { derivedId } from '../kit/values/derived-id.ts';
import type { FoundEntry, MetadataFilter, VectorStore } from '../services.ts';
import { cohereCredential } from './credential.ts';
import { rag } from './definition.ts';

type Params = z.output<typeof rag.params>;
type Call = NodeCall<Params>;
type Operation = Params['ragOperation'];

const MOST_RESULTS = 1_000;
const RERANK_MODEL = 'rerank-v3.5';
const FEWEST_CANDIDATES = 20;

export const runRag = implement(rag, async (call: Call) => {
  const operation = readOperation(call);
  return { output: { success: true, operation, ...(await OPERATIONS[operation](call)) } };
});

const OPERATIONS: Readonly<Record<Operation, (call: Call) => Promise<JsonObject>>> = {
  async insert(call) {
    const text = requiredText(call.params, 'documentContent');
    const metadata = readMetadata(call);
    const store = await open(call);
    const id = derivedId(call.idempotency_key);
    await store.put([{ id, text, metadata: { source: store.source, ...metadata } }]);
    return { point_id: id };
  },
  async upsert(call) {
    const { params } = call;
    const text = requiredText(params, 'documentContent');
    const { key, document_id } = readIdentity(params);
    const metadata = readMetadata(call);
    const store = await open(call);
    const filter = { [key]: document_id };
    const replaced_count = await store.count(filter);
    const id = derivedId(call.idempotency_key);
    // The former document is there until this one is: a model or a server that fails leaves it as it was.
    await store.put([{ id, text, metadata: { source: store.source, ...metadata, [key]: document_id } }]);
    if (replaced_count > 0) await store.removeWhere(filter, [id]);
    return { point_id: id, document_id, replaced: replaced_count > 0, replaced_count };
  },
  async delete(call) {
    const { key, document_id } = readIdentity(call.params);
    const store = await open(call);
    const filter = { [key]: document_id };
    const deleted_count = await store.count(filter);
    if (deleted_count > 0) await store.removeWhere(filter);
    return { deleted: deleted_count > 0, deleted_count };
  },
  async search(call) {
    const { params } = call;
    const query = requiredText(params, 'queryText');
    const limit = readCount(params, 'searchLimit', { most: MOST_RESULTS, usual: 5 });
    const filter = readFilter(params);
    const rerank = params.enableReranker ? await reranker(call, limit) : undefined;
    const store = await open(call);
    const candidates = rerank ? Math.max(3 * limit, FEWEST_CANDIDATES) : limit;
    const found = await store.search(query, { limit: Math.min(candidates, MOST_RESULTS), filter });
    const results = rerank ? await rerank(query, found) : found.map((entry) => toResult(entry));
    return { query, reranked: rerank !== undefined, results, count: results.length };
  },
};

/** Under its former name where an export has only that. */
function readOperation({ params, node }: Call): Operation {
  const former = params.operation;
  const isFormer = node.data['ragOperation'] === undefined && Object.hasOwn(OPERATIONS, former);
  return isFormer ? (former as Operation) : params.ragOperation;
}

const open = ({ params, services, signal }: Call): Promise<VectorStore> =>
  services.vectorStore(params.vectorStoreId, signal);

const readMetadata = ({ params }: Call): JsonObject => objectIn(params, 'documentMetadata');

const objectIn = (params: Params, raw: 'documentMetadata' | 'metadataFilters'): JsonObject =>
  readObject({ [raw]: params[raw] || '{}' }, { mode: '', raw, selective: '' });

function readIdentity(params: Params): { key: string; document_id: string } {
  return { key: requiredText(params, 'documentIdField'), document_id: requiredText(params, 'documentId') };
}

function readFilter(params: Params): MetadataFilter {
  const filter = objectIn(params, 'metadataFilters');
  for (const [key, value] of Object.entries(filter)) {
    const values = Array.isArray(value) ? value : [value];
    if (values.length === 0 || values.some((one) => typeof one === 'object')) {
      throw refusedParam(
        'metadataFilters',
        `${key}: must be a text, a number, true, false or a list of those`,
      );
    }
  }
  // Checked above: only texts, numbers, switches and lists of them.
  return filter as MetadataFilter;
}

function toResult({ id, text, score, metadata }: FoundEntry, relevance_score?: Json): JsonObject {
  return { id, text, score, ...(relevance_score === undefined ? {} : { relevance_score }), metadata };
}

/** https://docs.cohere.com/v1/reference/rerank */
async function reranker(call: Call, limit: number) {
  const { params } = call;
  const most = readCount(params, 'rerankerTopN', { most: MOST_RESULTS, usual: limit });
  const asked = { params: { credentialId: params.rerankerCredentialId }, services: call.services };
  const connection = buildConnection(
    'Cohere',
    cohereCredential,
    await readCredential(asked, cohereCredential),
  );
  return async (query: string, found: readonly FoundEntry[]): Promise<JsonObject[]> => {
    if (found.length === 0) return [];
    const documents = found.map(({ text }) => text);
    const body = { model: RERANK_MODEL, query, documents, top_n: Math.min(most, found.length) };
    const answer = await callJson(createCaller(call), connection, {
      method: 'POST',
      path: '/rerank',
      body,
      effect: 'read',
    });
    return listIn('Cohere', answer.body, 'results').flatMap((result) => {
      if (!isJsonObject(result) || typeof result['index'] !== 'number') return [];
      const entry = found[result['index']];
      return entry ? [toResult(entry, result['relevance_score'] ?? null)] : [];
    });
  };
}
