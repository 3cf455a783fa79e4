import type { Trace } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { FlaskConical } from 'lucide-react';
import { type ReactNode, Suspense, useMemo, useState } from 'react';
import { useLocale } from 'use-intl';
import { useTrace } from '../../data/traces.ts';
import { lazy } from '../../lib/code/lazy.ts';
import { costText } from '../../lib/cost-text.ts';
import { Button } from '../../ui/actions/button.tsx';
import { CodeBlock } from '../../ui/display/code-block.tsx';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { StatusChip } from '../../ui/display/status-chip.tsx';
import { DateTime, Duration } from '../../ui/display/time.tsx';
import { Tabs } from '../../ui/layout/tabs.tsx';
import { caseFromTrace } from './case-from-trace.ts';
import { parseConversation, type Turn } from './conversation.ts';
import { useTracesTexts } from './texts/use-traces-texts.ts';

const AddToSuiteDialog = lazy(() =>
  import('../evals/add-to-suite-dialog.tsx').then((module) => ({ default: module.AddToSuiteDialog })),
);

/** One call of a model: what it was for, what it took, and what was said. */
export function TraceDetail({ id }: { id: string }) {
  const trace = useTrace(id);
  if (trace.isPending) return <SkeletonRows rows={10} />;
  if (trace.isLoadingError) return <LoadFailed error={trace.error} onRetry={() => void trace.refetch()} />;
  return <Loaded key={id} trace={trace.data} />;
}

function Loaded({ trace }: { trace: Trace }) {
  const t = useTracesTexts();
  const turns = useMemo(() => parseConversation(trace.request_type, trace), [trace]);
  const [tab, setTab] = useState<'conversation' | 'json'>(turns ? 'conversation' : 'json');
  return (
    <div className="flex flex-col gap-4 py-4">
      <Facts trace={trace} />
      {trace.error === null ? null : (
        <p
          role="alert"
          className="mx-4 rounded-m border border-danger-line bg-danger-tint px-3 py-2 break-words text-danger"
        >
          {trace.error}
        </p>
      )}
      <AddToSuite trace={trace} turns={turns} />
      {trace.is_cut ? <p className="mx-4 text-sm text-soft">{t('is_cut')}</p> : null}
      <Tabs
        value={tab}
        onChange={setTab}
        label={t('details')}
        tabs={[
          ...(turns
            ? [
                {
                  value: 'conversation' as const,
                  label: t('conversation'),
                  content: <Conversation turns={turns} />,
                },
              ]
            : []),
          { value: 'json' as const, label: t('json'), content: <Bodies trace={trace} /> },
        ]}
      />
    </div>
  );
}

/** Offers to make the question and the answer a test case. */
function AddToSuite({ trace, turns }: { trace: Trace; turns: readonly Turn[] | undefined }) {
  const t = useTracesTexts();
  const [isOpen, setOpen] = useState(false);
  const call = turns && caseFromTrace(turns, trace);
  if (!call) return null;
  return (
    <div className="px-4">
      <Button onClick={() => setOpen(true)}>
        <FlaskConical aria-hidden />
        {t('add_to_suite')}
      </Button>
      {isOpen ? (
        <Suspense>
          <AddToSuiteDialog call={call} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </div>
  );
}

function Facts({ trace }: { trace: Trace }) {
  const t = useTracesTexts();
  const locale = useLocale();
  const { prompt_tokens, completion_tokens, cached_tokens, cost_usd } = trace;
  const count = (tokens: number | null) => (tokens ?? 0).toLocaleString(locale);
  const promptCount = cached_tokens
    ? t('cached_count', { tokens: count(prompt_tokens), cached: count(cached_tokens) })
    : count(prompt_tokens);
  const tokens =
    trace.total_tokens === null
      ? null
      : t('token_counts', { prompt: promptCount, completion: count(completion_tokens) });
  const rows: [string, ReactNode][] = [
    [t('status'), <StatusChip key="status" status={trace.status} look="line" />],
    [t('started'), <DateTime key="started" at={trace.created_at} seconds />],
    [t('time'), <Duration key="time" ms={trace.elapsed_ms} />],
    [t('tokens'), tokens],
    [t('cost'), cost_usd === null ? t('no_price') : costText(cost_usd, locale)],
    [t('kind'), t(`kind_${trace.request_type}`)],
    [t('provider'), trace.provider],
    [t('credential'), trace.credential_name],
    [t('source'), t(`source_${trace.source}`)],
    [
      t('workflow'),
      trace.workflow_id ? (
        <Link
          key="workflow"
          to="/workflows/$id"
          params={{ id: trace.workflow_id }}
          className="text-accent-text underline"
        >
          {trace.workflow_name}
        </Link>
      ) : (
        trace.workflow_name
      ),
    ],
    [t('node'), trace.node_label],
    [t('step'), trace.step],
    [
      t('run'),
      trace.run_id ? (
        <Link key="run" to="/runs/$id" params={{ id: trace.run_id }} className="text-accent-text underline">
          {t('open_run')}
        </Link>
      ) : null,
    ],
  ];
  return (
    <dl className="grid grid-cols-[110px_minmax(0,1fr)] gap-y-1.5 px-4 [&_dd]:break-words [&_dt]:text-faint">
      {rows.map(([name, value]) =>
        value === null ? null : (
          <div key={name} className="contents">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

function Conversation({ turns }: { turns: readonly Turn[] }) {
  const t = useTracesTexts();
  return (
    <ol className="flex flex-col gap-3 p-4">
      {turns.map((turn, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- turns have no name but their place, which stays
        <li key={at} className="rounded-m border border-line bg-surface px-3 py-2">
          <h3 className="text-sm font-medium text-soft">{t(`role_${turn.role}`)}</h3>
          {turn.reasoning === '' ? null : (
            <p className="mt-1 text-sm break-words whitespace-pre-wrap text-faint">
              <span className="font-medium">{t('reasoning')}: </span>
              {turn.reasoning}
            </p>
          )}
          {turn.text === '' ? null : <p className="mt-1 break-words whitespace-pre-wrap">{turn.text}</p>}
          {turn.images === 0 ? null : (
            <p className="mt-1 text-sm text-faint">{t('images', { count: turn.images })}</p>
          )}
          {turn.tools.map((tool) => {
            const name = turn.role === 'tool' ? tool.name : t('tool_call', { name: tool.name });
            return (
              <CodeBlock key={tool.id} className="mt-2" label={name} caption={name} code={tool.text} wrap />
            );
          })}
        </li>
      ))}
    </ol>
  );
}

function Bodies({ trace: { request, response } }: { trace: Trace }) {
  const t = useTracesTexts();
  return (
    <div className="flex flex-col gap-4 p-4">
      <CodeBlock label={t('request')} caption={t('request')} code={JSON.stringify(request, null, 2)} wrap />
      {response === null ? null : (
        <CodeBlock
          label={t('response')}
          caption={t('response')}
          code={JSON.stringify(response, null, 2)}
          wrap
        />
      )}
    </div>
  );
}
