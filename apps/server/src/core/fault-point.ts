/**
 * Places where the crash harness may end, stop or fail a process, one for each row of the table "What happens at each
 * point" in `docs/durability.md`.
 */
export type FaultPoint =
  | 'after_accept'
  | 'after_fire'
  | 'before_board_run'
  | 'after_board_run'
  | 'after_eval_answer'
  | 'before_commit'
  | 'after_commit'
  | 'after_intent'
  | 'after_effect'
  | 'before_final'
  | 'after_final'
  | 'after_step'
  | 'before_wait'
  | 'after_wait'
  | 'before_suspend'
  | 'after_suspend'
  | 'after_decision'
  | 'during_takeover'
  | 'after_claim';

interface Armed {
  readonly point: FaultPoint;
  readonly act: 'SIGKILL' | 'SIGSTOP' | 'throw' | 'block';
  /** The hit that acts, counted from 1. */
  remaining: number;
  /** How long `block` keeps the event loop. */
  readonly ms: number;
}

const armed: Armed | undefined = parse(process.env['MILLRACE_FAULT_POINT']);

/** `point:act:hit`, for example `after_intent:SIGKILL:3`; `block` may say for how many milliseconds, else it is for ever. */
function parse(text: string | undefined): Armed | undefined {
  if (!text) return undefined;
  const [point, act = 'SIGKILL', hit = '1', ms = 'Infinity'] = text.split(':');
  return { point: point as FaultPoint, act: act as Armed['act'], remaining: Number(hit), ms: Number(ms) };
}

/** Costs one comparison unless a fault is armed. */
export function faultPoint(point: FaultPoint): void {
  if (armed !== undefined && armed.point === point) hit(armed);
}

function hit(fault: Armed): void {
  fault.remaining -= 1;
  if (fault.remaining !== 0) return;
  if (fault.act === 'throw') throw new Error(`fault point ${fault.point}`);
  if (fault.act === 'block') return block(fault.ms);
  process.kill(process.pid, fault.act);
}

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
