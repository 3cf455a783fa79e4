import { isJsonObject, type Json, type JsonObject, NodeFailure } from '@millrace/engine';
import type { ProgramJob } from '../../services.ts';
import { refusedParam } from '../refused-param.ts';
import { requirementsIn } from '../scripts/requirements.ts';
import { literalText, splitWords } from '../text/shell-words.ts';
import { objectIn, parsedIn } from './stored-json.ts';

type Language = ProgramJob['language'];

/** A server that is a program: it runs in a container and is spoken to over its standard input and output. */
export interface ProgramServer
  extends Pick<
    ProgramJob,
    'language' | 'command' | 'main_of' | 'args' | 'variables' | 'requirements' | 'allow_network'
  > {
  readonly transport: 'stdio';
  /** Name of the parameter that it was written in. */
  readonly field: string;
}

/** The program that is started, and the packages that hold it. */
type Started = Pick<ProgramServer, 'language' | 'command' | 'main_of' | 'args'> & {
  readonly packages: readonly string[];
};

/** Of the command, its arguments and variables together, in characters. */
const MOST_CHARACTERS = 100_000;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** For people. */
export const nameOfProgram = ({ main_of, command }: ProgramServer): string => main_of ?? command;

/**
 * The program of a connection as nodes and exports store it: `{command, args, env, packages, allowNetwork}`. A command that
 * would fetch a package and run it, such as `npx`, names the package: it is installed as for code, before the program starts.
 *
 * @param field name of the parameter, for what is wrong with it
 */
export function programOfConnection(connection: JsonObject, field: string): ProgramServer {
  const { command, args, env, packages, allowNetwork } = connection;
  const words = [...readWords(command, `${field}.command`, false), ...readWords(args, `${field}.args`, true)];
  const started = startedBy(withoutShell(words), field);
  const written = textIn(packages, `${field}.packages`);
  const requirements = [
    ...requirementsIn(started.language, started.packages.join('\n'), `${field}.args`),
    ...requirementsIn(started.language, written, `${field}.packages`),
  ];
  const variables = variablesIn(env, `${field}.env`);
  const size = JSON.stringify([words, variables]).length;
  if (size > MOST_CHARACTERS)
    throw refusedParam(`${field}.args`, `and the variables have more than ${MOST_CHARACTERS} characters`);
  const { packages: _named, ...program } = started;
  return {
    transport: 'stdio',
    field,
    ...program,
    variables,
    requirements: [...new Set(requirements)],
    allow_network: allowNetwork === true,
  };
}

/** A list, its JSON text, or words as in a shell. */
function readWords(stored: Json | undefined, field: string, canBeEmpty: boolean): string[] {
  const words = Array.isArray(stored) ? stored : wordsIn(textIn(stored, field).trim(), field);
  const texts = words.map((word) => {
    if (typeof word === 'string' && !word.includes('\0')) return word;
    if (typeof word === 'number' || typeof word === 'boolean') return String(word);
    throw refusedParam(field, 'must be a list of texts such as ["-y", "some-package"]');
  });
  if (texts.length > 0 || canBeEmpty) return texts;
  throw refusedParam(field, 'is empty; enter the program to start, such as npx, uvx, node or python');
}

function wordsIn(text: string, field: string): Json[] {
  if (text.startsWith('[')) {
    const list = parsedIn(text, field);
    return Array.isArray(list) ? list : [list];
  }
  try {
    return splitWords(text, { literal: true }).map((word) => literalText(word) ?? '');
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error;
    throw refusedParam(field, error.failure.message);
  }
}

function textIn(stored: Json | undefined, field: string): string {
  if (stored === undefined || stored === null) return '';
  if (typeof stored === 'string') return stored;
  throw refusedParam(field, 'must be a text');
}

function variablesIn(stored: Json | undefined, field: string): Record<string, string> {
  const entries = Object.entries(objectIn(stored, field, '{"API_KEY": "..."}'));
  return Object.fromEntries(
    entries.map(([name, value]) => {
      if (!VARIABLE.test(name))
        throw refusedParam(field, `"${name.slice(0, 100)}" cannot be the name of a variable`);
      if (value === null || isJsonObject(value) || Array.isArray(value) || String(value).includes('\0'))
        throw refusedParam(field, `"${name}" must be a text`);
      return [name, String(value)];
    }),
  );
}

/** Exports of Windows start `cmd /c npx ...`. */
function withoutShell(words: readonly string[]): readonly string[] {
  return /^cmd(?:\.exe)?$/i.test(words[0] ?? '') && /^\/c$/i.test(words[1] ?? '') ? words.slice(2) : words;
}

const NPM_RUNNERS = [
  ['npx'],
  ['bunx'],
  ['pnpx'],
  ['npm', 'exec'],
  ['npm', 'x'],
  ['pnpm', 'dlx'],
  ['yarn', 'dlx'],
];
const PYTHON_RUNNERS = [['uvx'], ['uv', 'tool', 'run'], ['pipx', 'run']];
const JAVASCRIPT = new Set(['node', 'npm', 'tsx']);

function startedBy(words: readonly string[], field: string): Started {
  const [command = '', ...args] = words;
  const name = (command.split('/').at(-1) ?? '').replace(/\.(?:cmd|exe)$/i, '');
  const restAfter = (runners: readonly (readonly string[])[]) => {
    const runner = runners.find((parts) => parts.every((part, at) => part === (at === 0 ? name : words[at])));
    return runner && words.slice(runner.length);
  };
  const ofNpm = restAfter(NPM_RUNNERS);
  if (ofNpm) return npmPackage(ofNpm, `${field}.args`);
  const ofPython = restAfter(PYTHON_RUNNERS);
  if (ofPython) return pythonPackage(ofPython, `${field}.args`);
  const language: Language = JAVASCRIPT.has(name) ? 'javascript' : 'python';
  // Images of Python need not have the shorter name.
  return { language, command: command === 'python' ? 'python3' : command, args, packages: [] };
}

/** How an option of a runner is read: it names a package, has a value that does not matter, or has none. */
type Options = Readonly<Record<string, 'package' | 'source' | 'value' | 'switch'>>;

const OF_NPM: Options = {
  '-y': 'switch',
  '--yes': 'switch',
  '-q': 'switch',
  '--quiet': 'switch',
  '--bun': 'switch',
  '-p': 'source',
  '--package': 'source',
};
const OF_PYTHON: Options = {
  '-q': 'switch',
  '--quiet': 'switch',
  '--no-cache': 'switch',
  '--isolated': 'switch',
  '--refresh': 'switch',
  '--from': 'source',
  '--spec': 'source',
  '--with': 'package',
  '-w': 'package',
  '-p': 'value',
  '--python': 'value',
};

interface Runner {
  /** The packages that hold the command; empty when its name is that of its package. */
  readonly sources: readonly string[];
  readonly further: readonly string[];
  readonly wanted: string;
  readonly args: readonly string[];
}

function parseRunner(words: readonly string[], options: Options, field: string): Runner {
  const sources: string[] = [];
  const further: string[] = [];
  let at = 0;
  for (; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '--') {
      at++;
      break;
    }
    if (!word.startsWith('-')) break;
    const [, option = word, inline] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    const kind = options[option];
    if (kind === undefined)
      throw refusedParam(
        field,
        `has the option "${option.slice(0, 100)}", which is not taken; name the package and its arguments alone`,
      );
    if (kind === 'switch') continue;
    const value = inline ?? words[(at += 1)] ?? '';
    if (kind === 'source') sources.push(value);
    if (kind === 'package') further.push(...value.split(',').map((one) => one.trim()));
  }
  const [wanted = '', ...args] = words.slice(at);
  if (wanted === '')
    throw refusedParam(field, 'name no package; enter the package to run, such as ["-y", "some-package"]');
  return { sources, further, wanted, args };
}

function npmPackage(words: readonly string[], field: string): Started {
  const { sources, wanted, args } = parseRunner(words, OF_NPM, field);
  if (sources.length > 0) return { language: 'javascript', command: wanted, args, packages: sources };
  const version = wanted.indexOf('@', 1);
  const main_of = version < 0 ? wanted : wanted.slice(0, version);
  return { language: 'javascript', command: '', main_of, args, packages: [wanted] };
}

function pythonPackage(words: readonly string[], field: string): Started {
  const { sources, further, wanted, args } = parseRunner(words, OF_PYTHON, field);
  const packages = (sources.length > 0 ? sources : [wanted]).map(toRequirement);
  const command = sources.length > 0 ? wanted : wanted.replace(/[[@=<>~!\s].*$/s, '');
  return { language: 'python', command, args, packages: [...packages, ...further] };
}

/** `name@1.2` of uv, as the installer takes it. */
const toRequirement = (text: string): string =>
  text.replace(/@latest$/, '').replace(/^([\w.[\],-]+)@([\w.]+)$/, '$1==$2');
