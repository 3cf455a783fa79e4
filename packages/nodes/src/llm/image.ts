import { isJsonObject, type JsonObject, type NodeResult } from '@millrace/engine';
import { generateImage } from '@millrace/models';
import type { StepCall } from '../implement.ts';
import { type FileRecord, fileRecord } from '../kit/files/file-record.ts';
import { askEither, readTargets, type Target } from '../kit/models/ask.ts';
import { createModelCaller, watchCalls } from '../kit/models/model-caller.ts';
import { openModelService } from '../kit/models/model-service.ts';
import type { ModelCall, Prepared } from '../kit/models/request.ts';

/** As it is recorded: a takeover reads it instead of generating and paying again. */
type Generated = {
  /** Base64. */
  data: string;
  mime_type: string;
  usage: JsonObject | null;
  revised_prompt: string | null;
  elapsed_ms: number;
};

const ENDINGS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
};

/**
 * Generates the image and stores it in the Drive. These are two steps, so that a Drive that takes no file costs no second image when the
 * node is tried again.
 */
export async function answerWithImage(call: ModelCall, prepared: Prepared): Promise<NodeResult> {
  const prompt = buildPrompt(call, prepared);
  const { generated, target, is_fallback } = await askEither(
    call,
    readTargets(call.params),
    async (target, is_fallback) => {
      const key = is_fallback ? 'fallback' : 'call';
      const generated = await call.step<Generated>(key, 'read', (step) =>
        generate(call, step, { target, prompt, prepared }),
      );
      return { generated, target, is_fallback };
    },
  );
  const { data, mime_type, usage, revised_prompt, elapsed_ms } = generated;
  const file = await call.step<FileRecord>('file', 'idempotent', (step) => store(call, step, generated));
  return {
    output: {
      image: `data:${mime_type};base64,${data}`,
      file,
      ...(usage ? { usage } : {}),
      ...(revised_prompt ? { revised_prompt } : {}),
      elapsed_ms,
      model: target.model,
      ...(is_fallback ? { fallbackUsed: true } : {}),
    },
  };
}

/** Image models take one text. What the node says about JSON has no meaning for them. */
function buildPrompt({ params }: ModelCall, { messages }: Prepared): string {
  const question = messages.at(-1);
  const asked = question?.role === 'user' ? question.text : '';
  return [params.systemInstruction, asked].filter((text) => text.trim() !== '').join('\n\n');
}

interface Generation {
  readonly target: Target;
  readonly prompt: string;
  readonly prepared: Prepared;
}

async function generate(
  call: ModelCall,
  step: StepCall,
  { target, prompt, prepared }: Generation,
): Promise<Generated> {
  const { imageSize, imageQuality } = call.params;
  const { timeout_ms, extra_body } = prepared;
  const credential = await call.services.credential(target.credential_id);
  const { bytes, mime_type, usage, revised_prompt, elapsed_ms } = await generateImage(
    { ...createModelCaller(call, step), ...watchCalls(call, step)(credential) },
    openModelService(credential.type, credential.values),
    {
      model: target.model,
      prompt,
      size: imageSize.trim(),
      quality: imageQuality.trim(),
      timeout_ms,
      extra_body,
    },
  );
  return {
    data: Buffer.from(bytes).toString('base64'),
    mime_type,
    usage: isJsonObject(usage) ? { ...usage } : null,
    revised_prompt: revised_prompt ?? null,
    elapsed_ms,
  };
}

async function store(
  call: ModelCall,
  { idempotency_key }: StepCall,
  { data, mime_type }: Generated,
): Promise<FileRecord> {
  const stored = await call.services.files.store({
    filename: `image.${ENDINGS[mime_type] ?? 'bin'}`,
    body: (async function* () {
      yield Buffer.from(data, 'base64');
    })(),
    key: idempotency_key,
  });
  return fileRecord(stored);
}
