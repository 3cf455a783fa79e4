import type { Workflow } from '@millrace/contracts';
import { useEffect, useEffectEvent, useState } from 'react';
import { isRunning, usePublishGate, useRunPublishGate } from '../../data/publish-gate.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { canRunEvals } from './gate.tsx';

interface GateOptions {
  workflow: Workflow;
  unsaved: boolean;
  /** Called when evals are started. */
  onRun: () => void;
  publish: () => void;
}

/** The evals that have to pass on the draft. Started here, they are followed, and the draft is published when all have passed. */
function useEvals({ workflow, unsaved, onRun, publish }: GateOptions) {
  const t = useEditorTexts('gate');
  const query = usePublishGate(workflow, !unsaved);
  const start = useRunPublishGate(workflow);
  const [awaited, setAwaited] = useState(false);
  const [missed, setMissed] = useState(false);
  const gate = query.data;
  const onEnd = useEffectEvent((passes: boolean) => {
    setAwaited(false);
    setMissed(!passes);
    if (passes) publish();
  });
  const isOver = awaited && !start.isPending && gate !== undefined && !isRunning(gate);
  const passes = gate?.passes === true;
  useEffect(() => {
    if (isOver) onEnd(passes);
  }, [isOver, passes]);
  return {
    gate,
    isLoading: query.isPending && !query.isError,
    // Evals that another person has started are waited for.
    canRun: gate !== undefined && (canRunEvals(gate) || isRunning(gate)),
    busy: start.isPending || awaited,
    problem: start.error?.message ?? (missed && !passes ? t('not_passed') : undefined),
    forgetProblem: () => {
      setMissed(false);
      if (start.isError) start.reset();
    },
    run: () => {
      onRun();
      setMissed(false);
      start.mutate(undefined, { onSuccess: () => setAwaited(true) });
    },
  };
}

interface PublishGateOptions extends Omit<GateOptions, 'publish'> {
  publish: (override_reason?: string) => void;
}

/** The gate between the draft and its publication: nothing, evals that have to pass, or a reason to go past them. */
export function useGate({ publish, ...options }: PublishGateOptions) {
  const evals = useEvals({ ...options, publish: () => publish() });
  /** Undefined until the owner asks for a way past the evals. */
  const [reason, setReason] = useState<string>();
  const { gate, isLoading, canRun, busy, problem, forgetProblem } = evals;
  const isShut = gate?.passes === false;
  const isOverriding = isShut && reason !== undefined;
  const step = isOverriding ? 'override' : isShut ? 'run' : 'publish';
  return {
    gate,
    busy,
    problem,
    forgetProblem,
    step,
    isBlocked: isLoading || (step === 'run' && !canRun) || (isOverriding && reason.trim() === ''),
    mayOverride: isShut && gate.may_override,
    reason: isOverriding ? reason : undefined,
    setReason,
    go: () => {
      if (step === 'run') return evals.run();
      forgetProblem();
      publish(isOverriding ? reason : undefined);
    },
  } as const;
}
