import { curlFailure, type Word } from '../../kit/text/shell-words.ts';

/** One `-d`, `-F` or `-T` argument, in the order written; a file is without its `@`. */
export interface DataPiece {
  readonly kind: 'data' | 'urlencode' | 'json' | 'form' | 'form_string' | 'file';
  readonly word: Word;
}

/** A curl command line with its expressions still unevaluated. */
export interface CurlCommand {
  url: Word | undefined;
  method: Word | undefined;
  headers: Word[];
  pieces: DataPiece[];
  /** `--url-query`: added to the query of the address. */
  query: DataPiece[];
  user: Word | undefined;
  bearer: Word | undefined;
  user_agent: Word | undefined;
  referer: Word | undefined;
  cookie: Word | undefined;
  max_time: Word | undefined;
  follow_redirects: boolean;
  data_in_query: boolean;
  head: boolean;
  /** `-T`: the file of the body is put. */
  puts_file: boolean;
  /** The certificate of the server is not checked. */
  insecure: boolean;
  /** Options without a value that change nothing here and need no warning. */
  quiet: string[];
  /** Options that have no effect here, as written. */
  ignored: string[];
}

export function emptyCommand(): CurlCommand {
  return {
    url: undefined,
    method: undefined,
    headers: [],
    pieces: [],
    query: [],
    user: undefined,
    bearer: undefined,
    user_agent: undefined,
    referer: undefined,
    cookie: undefined,
    max_time: undefined,
    follow_redirects: false,
    data_in_query: false,
    head: false,
    puts_file: false,
    insecure: false,
    quiet: [],
    ignored: [],
  };
}

export function setUrl(command: CurlCommand, url: Word): void {
  if (command.url) throw curlFailure('more than one address; quote texts that contain spaces');
  command.url = url;
}
