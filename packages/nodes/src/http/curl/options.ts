import { curlFailure, literalStart, splitAt, type Word, withoutStart } from '../../kit/text/shell-words.ts';
import { behindAt, requireNoPath } from './body/file-word.ts';
import { splitModifiers } from './body/modifiers.ts';
import { type CurlCommand, type DataPiece, setUrl } from './command.ts';

type ApplyFlag = (command: CurlCommand) => void;
type ApplyOption = (command: CurlCommand, value: Word) => void;

function piece(kind: DataPiece['kind']): ApplyOption {
  return (command, word) => command.pieces.push({ kind, word });
}

/** `@name` reads a file of the machine that runs curl; a value that starts with `@` is only data. */
function withoutFile(option: string, apply: ApplyOption, instead = ''): ApplyOption {
  return (command, word) => {
    if (literalStart(word).startsWith('@'))
      throw curlFailure(`${option} @… reads a file, which a node cannot do${instead}`);
    apply(command, word);
  };
}

const AS_BODY = '; to send a file of the run as the body, write --data-binary @$upload.file';

function binaryPiece(command: CurlCommand, word: Word): void {
  const file = behindAt(word);
  if (file) piece('file')(command, requireNoPath('--data-binary @…', file));
  else piece('data')(command, word);
}

/** curl puts a file unless another method is written. */
function uploadPiece(command: CurlCommand, word: Word): void {
  const file = behindAt(word) ?? word;
  piece('file')(command, requireNoPath('-T', file));
  command.puts_file = true;
}

function formPiece(command: CurlCommand, word: Word): void {
  const split = splitAt(word, '=');
  const content = (split?.[1] ?? []).filter(({ text }) => text !== '');
  const file = behindAt(content);
  const name = (split?.[0] ?? []).map(({ text }) => text).join('');
  if (file) requireNoPath(`-F ${name}=@…`, splitModifiers(file).content);
  if (literalStart(content).startsWith('<')) {
    throw curlFailure(
      `-F ${name}=<… reads a file, which a node cannot do; write -F ${name}=@$upload.file to send a file of the run`,
    );
  }
  piece('form')(command, word);
}

/** curl: a leading `+` adds the rest as it is written; else only the part behind `=` is encoded. */
function queryPiece(command: CurlCommand, word: Word): void {
  const isWritten = literalStart(word).startsWith('+');
  command.query.push(isWritten ? { kind: 'data', word: withoutStart(word, 1) } : { kind: 'urlencode', word });
}

/** Recorded, so that a form that writes the command anew keeps it. */
function quiet(option: string): ApplyFlag {
  return (command) => command.quiet.push(option);
}

/** Options with a value that have an effect, by long name. */
export const OPTIONS: Readonly<Record<string, ApplyOption>> = {
  '--request': (command, value) => {
    command.method = value;
  },
  '--url': setUrl,
  '--url-query': withoutFile('--url-query', queryPiece),
  '--header': withoutFile('-H', (command, value) => command.headers.push(value)),
  '--data': withoutFile('-d', piece('data'), AS_BODY),
  '--data-ascii': withoutFile('--data-ascii', piece('data'), AS_BODY),
  '--data-binary': binaryPiece,
  '--data-raw': piece('data'),
  '--data-urlencode': withoutFile('--data-urlencode', piece('urlencode')),
  '--json': withoutFile('--json', piece('json')),
  '--form': formPiece,
  '--form-string': piece('form_string'),
  '--user': (command, value) => {
    command.user = value;
  },
  '--oauth2-bearer': (command, value) => {
    command.bearer = value;
  },
  '--user-agent': (command, value) => {
    command.user_agent = value;
  },
  '--referer': (command, value) => {
    command.referer = value;
  },
  '--cookie': (command, value) => {
    command.cookie = value;
  },
  '--max-time': (command, value) => {
    command.max_time = value;
  },
  '--upload-file': uploadPiece,
};

/** Options without a value that have an effect, or none worth a warning. */
export const FLAGS: Readonly<Record<string, ApplyFlag>> = {
  '--location': (command) => {
    command.follow_redirects = true;
  },
  '--get': (command) => {
    command.data_in_query = true;
  },
  '--head': (command) => {
    command.head = true;
  },
  '--insecure': (command) => {
    command.insecure = true;
  },
  '--compressed': quiet('--compressed'),
  '--silent': quiet('--silent'),
  '--show-error': quiet('--show-error'),
  '--globoff': quiet('--globoff'),
  '--include': quiet('--include'),
  '--verbose': quiet('--verbose'),
  '--no-buffer': quiet('--no-buffer'),
};

/** Options that take a value and have no effect here; named so that their value is not read as the address. */
export const IGNORED_WITH_VALUE: ReadonlySet<string> = new Set(
  `--abstract-unix-socket --alt-svc --aws-sigv4 --cacert --capath --cert --cert-type --ciphers --config
  --connect-timeout --connect-to --continue-at --cookie-jar --create-file-mode --crlfile --dns-servers --dump-header --engine
  --expect100-timeout --happy-eyeballs-timeout-ms --hsts --interface --ipfs-gateway --keepalive-time --key --key-type
  --limit-rate --local-port --max-filesize --max-redirs --netrc-file --noproxy --output --output-dir --parallel-max
  --pass --pinnedpubkey --proto --proto-default --proto-redir --proxy --proxy-cacert --proxy-cert --proxy-header
  --proxy-key --proxy-pass --proxy-user --preproxy --quote --random-file --range --rate --request-target --resolve
  --retry --retry-delay --retry-max-time --socks4 --socks4a --socks5 --socks5-hostname --speed-limit --speed-time
  --stderr --time-cond --tls-max --tls13-ciphers --tlsuser --tlspassword --trace --trace-ascii --unix-socket
  --variable --write-out`.split(/\s+/),
);

/** Long names of the one-letter options. */
export const LETTERS: Readonly<Record<string, string>> = {
  A: '--user-agent',
  b: '--cookie',
  c: '--cookie-jar',
  C: '--continue-at',
  d: '--data',
  D: '--dump-header',
  e: '--referer',
  E: '--cert',
  F: '--form',
  G: '--get',
  g: '--globoff',
  H: '--header',
  i: '--include',
  I: '--head',
  k: '--insecure',
  K: '--config',
  L: '--location',
  m: '--max-time',
  N: '--no-buffer',
  o: '--output',
  r: '--range',
  s: '--silent',
  S: '--show-error',
  T: '--upload-file',
  u: '--user',
  U: '--proxy-user',
  v: '--verbose',
  w: '--write-out',
  x: '--proxy',
  X: '--request',
  y: '--speed-time',
  Y: '--speed-limit',
  z: '--time-cond',
};

export function findFlag(name: string): ApplyFlag | undefined {
  return Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
}

export function findOption(name: string): ApplyOption | undefined {
  return Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
}
