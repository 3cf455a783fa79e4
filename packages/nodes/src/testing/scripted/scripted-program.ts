import type { JsonObject, NodeFailure } from '@millrace/engine';
import type { ProgramJob, RunningProgram } from '../../services.ts';

/** The actions that a scripted program can take when it has received a message. */
export interface Stage {
  readonly job: ProgramJob;
  readonly message: JsonObject;
  /** Answers the message, in a line. */
  answer(result: JsonObject): void;
  /** Writes to its standard output as it is. */
  write(text: string): void;
  end(failure: NodeFailure): void;
}

export interface ScriptedPrograms {
  readonly jobs: ProgramJob[];
  readonly messages: JsonObject[];
  /** How many run. */
  readonly running: { count: number };
  startProgram(job: ProgramJob): Promise<RunningProgram>;
}

/** Programs that speak the Model Context Protocol as far as an introduction goes; the script answers everything else. */
export function scriptedPrograms(script: (stage: Stage) => void): ScriptedPrograms {
  const jobs: ProgramJob[] = [];
  const messages: JsonObject[] = [];
  const running = { count: 0 };
  const start = (job: ProgramJob): RunningProgram => {
    jobs.push(job);
    running.count += 1;
    let isOver = false;
    const over = () => {
      if (!isOver) running.count -= 1;
      isOver = true;
    };
    const write = (text: string) => {
      if (!isOver) job.onOutput(new TextEncoder().encode(text));
    };
    const receive = (message: JsonObject) => {
      messages.push(message);
      const answer = (result: JsonObject) =>
        write(`${JSON.stringify({ jsonrpc: '2.0', id: message['id'] ?? null, result })}\n`);
      if (message['method'] === 'initialize') return answer(introduction(message));
      if (message['id'] === undefined) return;
      const end = (failure: NodeFailure) => {
        over();
        job.onEnd(failure);
      };
      script({ job, message, answer, write, end });
    };
    return {
      write: (text) => {
        // A program reads later than its caller writes.
        if (!isOver) queueMicrotask(() => receive(JSON.parse(text) as JsonObject));
        return Promise.resolve();
      },
      close: () => {
        over();
        return Promise.resolve();
      },
    };
  };
  return { jobs, messages, running, startProgram: (job) => Promise.resolve(start(job)) };
}

function introduction({ params }: JsonObject): JsonObject {
  const { protocolVersion } = params as JsonObject;
  return {
    protocolVersion: protocolVersion ?? '',
    capabilities: { tools: {} },
    serverInfo: { name: 'scripted', version: '1' },
  };
}
