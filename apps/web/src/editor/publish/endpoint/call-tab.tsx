import type { Workflow } from '@millrace/contracts';
import { Send } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { sessionFetch } from '../../../data/api.ts';
import { useDocument } from '../../../features/document/context.ts';
import {
  inputFormFields,
  parseRaw,
  sampleBody,
  startNodes,
} from '../../../features/run-view/input/input-form.ts';
import { Button } from '../../../ui/actions/button.tsx';
import { CodeBlock } from '../../../ui/display/code-block.tsx';
import { Field } from '../../../ui/forms/field.tsx';
import { TextArea } from '../../../ui/forms/input.tsx';
import { Segmented } from '../../../ui/forms/toggles.tsx';
import { useEditor } from '../../state/context.tsx';
import { useIsUnpublished } from '../publish-state.tsx';
import { asCurl, asJavaScript, asPython, buildCall, type Call } from './call-code.ts';
import { useEndpointTexts } from './texts/use-endpoint-texts.ts';

type Language = 'curl' | 'javascript' | 'python';

const WRITE: Readonly<Record<Language, (call: Call) => string>> = {
  curl: asCurl,
  javascript: asJavaScript,
  python: asPython,
};

interface Answer {
  status: number;
  ms: number;
  headers: string;
  body: string;
}

/** Makes the call; the answer is passed on as it arrives, which for a stream is piece by piece. */
async function perform(call: Call, signal: AbortSignal, tell: (answer: Answer) => void): Promise<void> {
  const started = performance.now();
  const response = await sessionFetch(call.url, {
    method: call.method,
    headers: call.headers,
    signal,
    ...(call.body === undefined ? {} : { body: call.body }),
  });
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  const answer = (body: string): Answer => ({
    status: response.status,
    headers,
    body,
    ms: Math.round(performance.now() - started),
  });
  tell(answer(''));
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let body = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    body += part.value;
    tell(answer(body));
  }
  tell(answer(pretty(body)));
}

/** JSON with one member a line, to be read; anything else as it came. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The exact call in three languages, and a button that makes it. */
export function CallTab({ workflow, token }: { workflow: Workflow; token: string | undefined }) {
  const t = useEndpointTexts();
  const { catalog } = useEditor();
  const sample = useDocument(({ document }) => {
    const fields = inputFormFields(startNodes(catalog, document.nodes));
    return JSON.stringify(sampleBody(workflow.webhook_body_mode, fields), null, 2);
  });
  const [language, setLanguage] = useState<Language>('curl');
  const [raw, setRaw] = useState(sample);
  const [answer, setAnswer] = useState<Answer>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const unpublished = useIsUnpublished(workflow);
  const body = parseRaw(raw);
  const call = buildCall({
    base_url: window.location.origin,
    workflow,
    body: body ?? {},
    token,
    header_value: workflow.auth_header_value ?? undefined,
  });
  const send = async () => {
    abort.current = new AbortController();
    const { signal } = abort.current;
    setBusy(true);
    setProblem(undefined);
    setAnswer(undefined);
    try {
      // Without a chosen token the session speaks for the person who looks.
      const { Authorization: _, ...headers } = call.headers;
      const isOwn = token === undefined && workflow.auth_type === 'jwt';
      await perform(isOwn ? { ...call, headers } : call, signal, setAnswer);
    } catch (error) {
      if (signal.aborted) return;
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-3 p-4">
      <Field label={t('body')} error={body === undefined ? t('not_json') : undefined}>
        {(control) => (
          <TextArea {...control} mono rows={4} value={raw} onChange={(event) => setRaw(event.target.value)} />
        )}
      </Field>
      <Segmented<Language>
        size="small"
        label={t('language')}
        value={language}
        onChange={setLanguage}
        choices={[
          { value: 'curl', label: 'curl' },
          { value: 'javascript', label: 'JavaScript' },
          { value: 'python', label: 'Python' },
        ]}
      />
      <CodeBlock code={WRITE[language](call)} label={t('call')} wrap />
      {workflow.auth_type === 'jwt' && token === undefined ? (
        <p className="text-sm text-faint">{t('token_hint')}</p>
      ) : null}
      {workflow.active ? null : <p className="text-sm text-warning">{t('switched_off')}</p>}
      {unpublished ? (
        <p className="text-sm text-warning">
          {workflow.published ? t('unpublished', { number: workflow.version_number }) : t('never_published')}
        </p>
      ) : null}
      <div className="flex gap-2">
        <Button tone="primary" busy={busy} disabled={body === undefined} onClick={() => void send()}>
          <Send aria-hidden />
          {t('send')}
        </Button>
        {busy ? <Button onClick={() => abort.current?.abort()}>{t('stop')}</Button> : null}
      </div>
      {problem ? (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      ) : null}
      {answer ? (
        <div aria-live="polite" className="flex flex-col gap-2">
          <CodeBlock
            caption={t('answer', { status: answer.status, ms: answer.ms })}
            code={answer.body}
            label={t('answer_body')}
            wrap
          />
          <CodeBlock caption={t('answer_headers')} code={answer.headers} label={t('answer_headers')} wrap />
        </div>
      ) : null}
    </div>
  );
}
