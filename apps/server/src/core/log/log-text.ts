import { printValue } from '@millrace/engine';
import { type DestinationStream, pino } from 'pino';

/** Fields that every line of the log has and a person at a terminal knows anyway. */
const HIDDEN = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'reqId', 'err', 'error']);
const INFO = 30;

const pad = (value: number) => String(value).padStart(2, '0');

function timeText(time_ms: number): string {
  const time = new Date(time_ms);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(pad).join(':');
}

function errorText(error: unknown): string {
  if (error === undefined) return '';
  if (typeof error !== 'object' || error === null) return `\n  ${printValue(error)}`;
  const { stack = '', message } = error as { stack?: string; message?: string };
  // The stack repeats the message as a rule, but not where parameters of a statement were taken out.
  const text =
    message === undefined || stack.includes(message) ? stack || printValue(error) : `${message}${stack}`;
  return `\n  ${text.replaceAll('\n', '\n  ')}`;
}

/** One line of the log for people: time, what is above or below information, what happened, and its circumstances. */
export function formatLogLine(line: string): string {
  const entry = JSON.parse(line) as Record<string, unknown>;
  const level = Number(entry['level']);
  const label = level === INFO ? '' : `${(pino.levels.labels[level] ?? String(level)).toUpperCase()} `;
  const details = Object.entries(entry)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => `  ${name}: ${printValue(value)}`)
    .join('');
  const message = printValue(entry['msg'] ?? '');
  const errors = errorText(entry['err']) + errorText(entry['error']);
  return `${timeText(Number(entry['time']))} ${label}${message}${details}${errors}\n`;
}

/** Turns the lines of JSON that the log writes into lines for people. */
export function textLines(write: (text: string) => void): DestinationStream {
  return { write: (line) => write(formatLogLine(line)) };
}
