import type { ReviewDecision } from '@millrace/contracts';
import { Check, PencilLine, X } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import { ApiError } from '../../data/api.ts';
import { closedBy, type ReviewClosed } from '../../data/reviews.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Keys } from '../../ui/display/keys.tsx';
import { Skeleton } from '../../ui/display/skeleton.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { FormProblem } from '../../ui/forms/form-problem.tsx';
import { Input, TextArea } from '../../ui/forms/input.tsx';
import { extractJson, jsonProblem, toDraft } from './json-draft.ts';
import { useReviewTexts } from './texts/use-review-texts.ts';
import { useReviewKeys } from './use-review-keys.ts';

const MarkdownView = lazy(() => import('../../ui/results/markdown.tsx'));

/** The decision that the reviewer has made here. */
export type Decided = 'accepted' | 'edited' | 'refused';

const WORDS = { accept: 'accepted', edit: 'edited', refuse: 'refused' } as const;

/** How a decision is sent, as a mutation has it. */
interface Sending {
  readonly mutateAsync: (decision: ReviewDecision) => Promise<unknown>;
  readonly isPending: boolean;
  readonly error: Error | null;
}

interface ReviewFormProps {
  /** Markdown. */
  draft: string;
  decide: Sending;
  /** The reviewer is known by their account, and decides by keys. */
  signedIn?: boolean;
  onOutcome: (outcome: Decided | ReviewClosed) => void;
}

type Mode = 'read' | 'edit' | 'refuse';

/** Sends a decision with the name of the reviewer, one at a time. */
function useSending(decide: Sending, onOutcome: ReviewFormProps['onOutcome']) {
  const t = useReviewTexts();
  const [name, setName] = useState('');
  const send = async (decision: Pick<ReviewDecision, 'action' | 'edited_text' | 'refusal_reason'>) => {
    if (decide.isPending) return;
    const reviewer_name = name.trim() === '' ? {} : { reviewer_name: name.trim() };
    try {
      await decide.mutateAsync({ ...decision, ...reviewer_name });
      onOutcome(WORDS[decision.action]);
    } catch (error) {
      const closed = closedBy(error);
      if (closed) onOutcome(closed);
    }
  };
  const describeProblem = (error: Error | null): string | undefined => {
    if (!error || closedBy(error)) return undefined;
    return error instanceof ApiError ? error.message : t('unreachable');
  };
  return { name, setName, send, busy: decide.isPending, problem: describeProblem(decide.error) };
}

/** The text in which a draft is edited: JSON as itself, anything else as Markdown. */
function useEditedDraft(draft: string) {
  const json = extractJson(draft);
  const [text, setText] = useState(json ?? draft);
  return {
    json,
    text,
    setText,
    edited_text: json === undefined ? text : toDraft(text),
    canSend: text.trim() !== '' && (json === undefined || jsonProblem(text, json) === undefined),
  };
}

/** The draft and the three ways to decide it. What was typed survives changing one's mind, and a lost connection. */
export function ReviewForm({ draft, decide, signedIn = false, onOutcome }: ReviewFormProps) {
  const t = useReviewTexts();
  const [mode, setMode] = useState<Mode>('read');
  const { json, text, setText, edited_text, canSend } = useEditedDraft(draft);
  const [reason, setReason] = useState('');
  const { name, setName, send, busy, problem } = useSending(decide, onOutcome);
  const accept = () => void send({ action: 'accept' });
  const sendEdit = () => void send({ action: 'edit', edited_text });
  const sendRefusal = () => void send({ action: 'refuse', refusal_reason: reason });
  const isReading = mode === 'read' && !busy;
  useReviewKeys(
    signedIn
      ? {
          accept: () => isReading && accept(),
          edit: () => isReading && setMode('edit'),
          refuse: () => isReading && setMode('refuse'),
          send() {
            if (mode === 'edit' && canSend) sendEdit();
            if (mode === 'refuse') sendRefusal();
          },
        }
      : undefined,
  );
  const key = (keys: string, inverse = false) =>
    signedIn ? <KeyHint keys={keys} inverse={inverse} /> : null;
  return (
    <>
      <section aria-label={t('draft')} className="mt-5">
        {mode === 'edit' ? (
          <EditedText text={text} json={json} onChange={setText} />
        ) : (
          <div className="rounded-l border border-line bg-surface px-4 py-3 break-words shadow-s sm:px-6 sm:py-5">
            <Suspense fallback={<Skeleton className="h-40 w-full" />}>
              <MarkdownView text={draft} />
            </Suspense>
          </div>
        )}
      </section>
      <div className="mt-5 flex flex-col gap-4">
        {mode === 'refuse' ? <Reason reason={reason} onChange={setReason} /> : null}
        {signedIn ? null : <ReviewerName name={name} onChange={setName} />}
        <FormProblem text={problem} />
      </div>
      <Actions label={t('decision')}>
        {mode === 'read' ? (
          <>
            <Button tone="primary" size="large" busy={busy} onClick={accept}>
              <Check aria-hidden />
              {t('accept')}
              {key('a', true)}
            </Button>
            <Button size="large" disabled={busy} onClick={() => setMode('edit')}>
              <PencilLine aria-hidden />
              {t('edit')}
              {key('e')}
            </Button>
            <Button tone="quiet-danger" size="large" disabled={busy} onClick={() => setMode('refuse')}>
              <X aria-hidden />
              {t('refuse')}
              {key('r')}
            </Button>
          </>
        ) : null}
        {mode === 'edit' ? (
          <Button tone="primary" size="large" busy={busy} disabled={!canSend} onClick={sendEdit}>
            {t(json === undefined ? 'send_edit' : 'send_json')}
            {key('$mod+Enter', true)}
          </Button>
        ) : null}
        {mode === 'refuse' ? (
          <Button tone="danger" size="large" busy={busy} onClick={sendRefusal}>
            {t('send_refusal')}
            {key('$mod+Enter', true)}
          </Button>
        ) : null}
        {mode === 'read' ? null : (
          <Button tone="quiet" size="large" disabled={busy} onClick={() => setMode('read')}>
            {t('back')}
          </Button>
        )}
      </Actions>
    </>
  );
}

/** Stays in reach of a thumb while a long draft scrolls. */
function Actions({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div
      role="group"
      aria-label={label}
      className="sticky bottom-0 -mx-4 mt-6 flex flex-wrap gap-2 border-t border-line bg-canvas px-4 py-3 max-sm:[&>button]:grow sm:-mx-6 sm:px-6"
    >
      {children}
    </div>
  );
}

/** The key of a button, for people with a keyboard. */
function KeyHint({ keys, inverse }: { keys: string; inverse: boolean }) {
  return (
    <span className="max-md:hidden">
      <Keys keys={keys} inverse={inverse} />
    </span>
  );
}

function ReviewerName({ name, onChange }: { name: string; onChange: (name: string) => void }) {
  const t = useReviewTexts();
  return (
    <Field label={t('name')} hint={t('name_hint')} optional>
      {(control) => (
        <Input
          {...control}
          name="name"
          autoComplete="name"
          maxLength={100}
          value={name}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

interface TextProps {
  text: string;
  onChange: (text: string) => void;
}

/** @param props.json what the draft has in the place of Markdown */
function EditedText({ text, json, onChange }: TextProps & { json: string | undefined }) {
  const t = useReviewTexts();
  const isJson = json !== undefined;
  const problem = isJson ? jsonProblem(text, json) : undefined;
  return (
    <Field
      label={t(isJson ? 'edited_json' : 'edited_text')}
      hint={t(isJson ? 'edited_json_hint' : 'edited_hint')}
      error={problem === undefined ? undefined : t(problem)}
    >
      {(control) => (
        <TextArea
          {...control}
          autoFocus
          mono={isJson}
          spellCheck={!isJson}
          rows={Math.min(24, Math.max(8, text.split('\n').length + 1))}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

function Reason({ reason, onChange }: { reason: string; onChange: (reason: string) => void }) {
  const t = useReviewTexts();
  return (
    <Field label={t('reason')} optional>
      {(control) => (
        <TextArea
          {...control}
          autoFocus
          rows={3}
          maxLength={10_000}
          value={reason}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
