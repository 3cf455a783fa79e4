import type { Journal } from '../../../../journal/journal.ts';
import type { TestEnvironment } from '../../../../testing/run-environment.ts';
import { createLiveRuns } from '../../../live-runs.ts';
import { type StartNeeds, startRun } from '../../../start/run-workflow.ts';

const FOREVER = new Promise<never>(() => undefined);
const WRITES = ['begin', 'record', 'intend', 'wait', 'suspend', 'finish'] as const;

export interface Death {
  /** The write, counted from 1. */
  readonly at: number;
  readonly side: 'before' | 'after';
}

/**
 * A process that dies at one of its writes: what it does afterwards reaches nothing.
 *
 * @param onWrite called before each of its writes while it is alive
 */
export function mortal(environment: TestEnvironment, death: Death, onWrite?: () => void) {
  let writes = 0;
  let die: () => void = () => undefined;
  const died = new Promise<void>((resolve) => (die = resolve));
  const journal = { ...environment.journal } as Record<string, unknown>;
  for (const name of WRITES) {
    const write = environment.journal[name].bind(environment.journal) as (...args: unknown[]) => unknown;
    const lost = name === 'begin' ? { durable: FOREVER } : name === 'record' ? undefined : FOREVER;
    journal[name] = (...args: unknown[]) => {
      writes += 1;
      if (writes <= death.at) onWrite?.();
      if (writes < death.at) return write(...args);
      if (writes === death.at) {
        if (death.side === 'after') write(...args);
        die();
      }
      return lost;
    };
  }
  const ownership = {
    ...environment.ownership,
    decideByEnd: (id: string) => (writes < death.at ? environment.ownership.decideByEnd(id) : FOREVER),
    requestCancel: (id: string) => (writes < death.at ? environment.ownership.requestCancel(id) : FOREVER),
  };
  const { egress } = environment.nodes.ports;
  const unlessDead =
    <A extends readonly unknown[], R>(send: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      writes < death.at ? send(...args) : FOREVER;
  const dying = {
    ...egress,
    request: unlessDead(egress.request.bind(egress)),
    connect: unlessDead(egress.connect.bind(egress)),
    resolveAddresses: unlessDead(egress.resolveAddresses.bind(egress)),
  };
  const live = createLiveRuns();
  const { nodes } = environment;
  const process: StartNeeds = {
    ...environment,
    keeping: { ...environment.keeping, journal: journal as unknown as Journal, ownership, live },
    calls: { ...environment.calls, start: (request) => startRun(process, request) },
    nodes: { ...nodes, ports: { ...nodes.ports, egress: dying } },
  };
  environment.ownership.onDecision((run_id) => {
    if (writes < death.at) live.get(run_id)?.lookAtWaits();
  });
  return { process, died, isDead: () => writes >= death.at };
}
