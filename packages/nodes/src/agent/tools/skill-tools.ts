import { isJsonObject, type Json, type JsonObject, NodeFailure, readText } from '@millrace/engine';
import type { StepCall } from '../../implement.ts';
import { bytesOfBase64 } from '../../kit/files/base64.ts';
import { storeGeneratedFiles } from '../../kit/files/generated-files.ts';
import { requirementsIn } from '../../kit/scripts/requirements.ts';
import { isScript, plainPath, REQUIREMENTS_FILE, SKILL_FILE } from '../../kit/scripts/skill-path.ts';
import { skillFacts } from '../../kit/scripts/skill-text.ts';
import type { ScriptJob } from '../../services.ts';
import type { Skill } from '../library-skills.ts';
import type { Reviews } from './reviews.ts';
import { type AgentCall, failedCode, type Tool, toolName, type Used } from './tool.ts';

const MAIN_SCRIPT = 'main.py';
/** A file with this name in `_OUTPUT_DIR` asks a person. */
const REVIEW_REQUEST = '_hitl_request.json';

/** A `skill_<name>` for each skill with a script, which is run in a container (§8.4). */
export function skillTools(
  call: AgentCall,
  { skills, reviews }: { readonly skills: readonly Skill[]; readonly reviews: Reviews },
): Tool[] {
  return skills.flatMap((skill, at) => {
    const script = findScript(skill);
    return script === undefined
      ? []
      : [createTool(call, { reviews, skill, job: createJob(skill, { script, at }) })];
  });
}

/** `main.py` where there is one, otherwise the first script. */
function findScript({ files }: Skill): string | undefined {
  const scripts = files.map(({ path }) => plainPath(path)).filter(isScript);
  return scripts.find((path) => path.split('/').at(-1) === MAIN_SCRIPT) ?? scripts[0];
}

type Job = Omit<ScriptJob, 'input' | 'signal'>;

/** Refuses files that cannot be used before anything is asked and paid. */
function createJob(
  { content, files, timeoutSeconds, librarySkillId }: Skill,
  { script, at }: { readonly script: string; readonly at: number },
): Job {
  const all = new Map<string, Uint8Array>([[SKILL_FILE, new TextEncoder().encode(content)]]);
  let requirements: string[] = [];
  for (const [place, { path, content: text, encoding }] of files.entries()) {
    const field = librarySkillId ? `skills.${at}.librarySkillId` : `skills.${at}.files.${place}.content`;
    const bytes = encoding === 'base64' ? bytesOfBase64(text, field) : new TextEncoder().encode(text);
    all.set(plainPath(path), bytes);
    if (plainPath(path) !== REQUIREMENTS_FILE) continue;
    requirements = requirementsIn('python', new TextDecoder().decode(bytes), field);
  }
  return { files: all, script, requirements, timeout_ms: timeoutSeconds * 1_000 };
}

interface Offered {
  readonly reviews: Reviews;
  readonly skill: Skill;
  readonly job: Job;
}

function createTool(call: AgentCall, offered: Offered): Tool {
  const { name, content } = offered.skill;
  const facts = skillFacts(content);
  const title = [name.trim(), facts.name].find((text) => text !== '') ?? '';
  return {
    definition: {
      name: toolName(`skill_${title}`),
      description: facts.description === '' ? `Runs the script of the skill "${title}".` : facts.description,
      input_schema: {
        type: 'object',
        properties: {
          input: {
            type: 'string',
            description:
              'What the script reads from its standard input, as the skill describes it; JSON as text where it expects JSON',
          },
        },
        required: ['input'],
        additionalProperties: false,
      },
    },
    source: 'skill',
    title,
    // Scripts have connections, so they may change something elsewhere, and print what strangers wrote.
    is_parallel: false,
    is_outside: true,
    use: async ({ input }, key) => {
      const text = typeof input === 'string' ? input : JSON.stringify(input);
      const ran = await call
        .step<Ran>(key, 'unsafe', (step) => runScript(call, step, { job: offered.job, input: text }))
        // A script that a crash interrupted is not repeated, and the model is told so.
        .catch((error: unknown) => ({ result: failedCode(error, call.signal), elapsed_ms: 0 }));
      return afterReview(call, offered.reviews, { ran, key });
    },
  };
}

/** A use of a skill as it is recorded. */
type Ran = Used & { readonly review?: { readonly draft: string; readonly summary: string } };

async function runScript(
  call: AgentCall,
  { signal, idempotency_key }: StepCall,
  { job, input }: { readonly job: Job; readonly input: string },
): Promise<Ran> {
  const { services } = call;
  const started_ms = services.now();
  const work = async (): Promise<Omit<Ran, 'elapsed_ms'>> => {
    const { printed, files } = await services.runScript({ ...job, input, signal });
    const { [REVIEW_REQUEST]: request, ...others } = Object.fromEntries(files);
    const review = request === undefined ? undefined : reviewIn(call, request);
    const generated = await storeGeneratedFiles(services.files, Object.entries(others), idempotency_key);
    return {
      result: withFiles(await printedValue(call, printed, signal), generated),
      ...(generated.length > 0 ? { generated_files: generated } : {}),
      ...(review ? { review } : {}),
    };
  };
  // The step records that the script has failed: another attempt of the agent must not run it again.
  const ran = await work().catch((error: unknown) => ({ result: failedCode(error, signal) }));
  return { ...ran, elapsed_ms: services.now() - started_ms };
}

/** JSON where the script printed JSON, its text otherwise. */
async function printedValue({ services }: AgentCall, printed: string, signal: AbortSignal): Promise<Json> {
  const text = printed.trim();
  const what = 'What the script printed';
  return (await services.parsers.run('json', [text], { what, signal })) ?? text;
}

function withFiles(value: Json, generated: readonly JsonObject[]): Json {
  if (generated.length === 0) return value;
  const given = isJsonObject(value) ? value : value === '' ? {} : { output: value };
  return { ...given, _generated_files: [...generated] };
}

function reviewIn({ params }: AgentCall, request: Uint8Array): Ran['review'] {
  const refused = (message: string) =>
    new NodeFailure({ kind: 'thrown', message: `The script asks a person for a review, but ${message}` });
  if (!params.hitlEnabled) throw refused('"Ask a person" of the agent is off; switch it on in its settings');
  const asked = reviewRequest(new TextDecoder().decode(request));
  if (!asked) throw refused(`${REVIEW_REQUEST} is not a JSON object with the text "draft_text"`);
  return asked;
}

function reviewRequest(text: string): Ran['review'] {
  try {
    const request: unknown = JSON.parse(text);
    if (!isJsonObject(request) || typeof request['draft_text'] !== 'string') return undefined;
    const { draft_text: draft, summary } = request;
    return { draft, summary: readText(summary) };
  } catch {
    return undefined;
  }
}

/** Shows a person the draft of the script when it asks for that; the model gets their decision beside the result. */
async function afterReview(
  { params }: AgentCall,
  reviews: Reviews,
  { ran, key }: { readonly ran: Ran; readonly key: string },
): Promise<Used> {
  const { review, ...used } = ran;
  if (!review || !params.hitlEnabled) return used;
  const { decision = null, text, refusalReason } = await reviews.ask(key, review);
  if (decision === 'refused') {
    const result = { decision, ...(refusalReason === undefined ? {} : { reason: refusalReason }) };
    return { ...used, result, refused: true };
  }
  const given = isJsonObject(used.result) ? used.result : { output: used.result };
  return { ...used, result: { ...given, decision, approved_markdown: text ?? '' } };
}
