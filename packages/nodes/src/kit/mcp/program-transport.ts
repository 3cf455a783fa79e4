import { isJsonObject, NodeFailure, parseExactJson } from '@millrace/engine';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { ProgramJob, RunningProgram } from '../../services.ts';
import type { ProgramServer } from './program.ts';

const NEWLINE = 0x0a;
const JUNK_SHOWN = 200;
/** Of one request, in the log of its run. */
const MOST_LOG_LINES = 200;

interface Around
  extends Pick<ProgramJob, 'timeout_ms' | 'start_within_ms' | 'signal' | 'onLog' | 'onCrowded'> {
  startProgram(job: ProgramJob): Promise<RunningProgram>;
}

/** The transport stdio of the protocol: a message is JSON in one line. */
export class ProgramTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #around: Around;
  #program: RunningProgram | undefined;
  #line: Uint8Array[] = [];
  #log_lines = 0;
  #failure: NodeFailure | undefined;
  #is_closed = false;
  /** The first line that is no message; a server may only write messages to its standard output. */
  #junk = '';

  private constructor(around: Around) {
    this.#around = around;
  }

  /** Resolves when the program runs, which the installation of its packages may delay by minutes. */
  static async open(server: ProgramServer, around: Around): Promise<ProgramTransport> {
    const transport = new ProgramTransport(around);
    const { transport: _stdio, field, ...program } = server;
    try {
      const { startProgram, ...limits } = around;
      transport.#program = await startProgram({
        ...program,
        ...limits,
        onOutput: (piece) => transport.#take(piece),
        onLog: (line) => transport.#log(line),
        onEnd: (failure) => transport.#end(failure),
      });
    } catch (error) {
      if (!(error instanceof NodeFailure && error.failure.kind === 'params')) throw error;
      throw new NodeFailure({ field: `${field}.command`, ...error.failure }, { cause: error });
    }
    return transport;
  }

  /** The text that the server has written where messages belong, as a sentence; empty when it has written nothing else. */
  get junk(): string {
    if (this.#junk === '') return '';
    return `. It wrote a line to its standard output that is no message of the protocol: ${JSON.stringify(this.#junk)}`;
  }

  /** Why the program is over. */
  get failure(): NodeFailure | undefined {
    return this.#failure;
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#failure) throw this.#failure;
    if ('id' in message) this.#log_lines = 0;
    await this.#program?.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    await this.#program?.close();
    this.#close();
  }

  #close(): void {
    if (this.#is_closed) return;
    this.#is_closed = true;
    this.onclose?.();
  }

  #end(failure: NodeFailure): void {
    const { message } = failure.failure;
    this.#failure = new NodeFailure({ ...failure.failure, message: message + this.junk }, { cause: failure });
    this.#close();
  }

  #log(line: string): void {
    this.#log_lines += 1;
    if (this.#log_lines <= MOST_LOG_LINES && line.trim() !== '') this.#around.onLog(line);
    if (this.#log_lines === MOST_LOG_LINES) this.#around.onLog('(further lines of the server are left out)');
  }

  #take(piece: Uint8Array): void {
    for (let rest = piece; rest.length > 0; ) {
      const at = rest.indexOf(NEWLINE);
      if (at < 0) {
        this.#line.push(rest);
        return;
      }
      const line = Buffer.concat([...this.#line, rest.subarray(0, at)]).toString('utf8');
      this.#line = [];
      rest = rest.subarray(at + 1);
      if (line.trim() !== '') this.#receive(line);
    }
  }

  #receive(line: string): void {
    const message = messageIn(line);
    if (message) this.onmessage?.(message);
    else if (this.#junk === '') this.#junk = line.slice(0, JUNK_SHOWN);
  }
}

function messageIn(line: string): JSONRPCMessage | undefined {
  try {
    const value: unknown = parseExactJson(line);
    // Guarantee: the library checks what it receives, and answers or drops what is no message.
    return isJsonObject(value) && value['jsonrpc'] === '2.0' ? (value as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}
