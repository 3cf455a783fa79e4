/**
 * Everything that the benchmark asks of each product: the same workflow behind an address, and the number of its runs
 * that it keeps.
 */
export interface Peer {
  readonly name: string;
  /** The settings beside the defaults, as the table names them. */
  readonly configuration: string;
  readonly storage: 'embedded' | 'PostgreSQL' | 'none';
  /** Fetches what `.build/peers` does not have yet. */
  install(): Promise<void>;
  /** Makes its folder or database and the workflow in it, so that the start that is timed is not the first. */
  prepare(): Promise<void>;
  /** Starts it on the core of servers; done when the workflow answers. */
  start(): Promise<RunningPeer>;
  /** Removes what `prepare` made. */
  discard(): Promise<void>;
}

export interface RunningPeer {
  /** Where the workflow is called. */
  readonly url: string;
  readonly start_ms: number;
  /** Resident memory of all its processes in megabytes. */
  memory(): number;
  /** Runs that ended well and are in its storage; 0 where nothing is stored. */
  stored(): Promise<number>;
  stop(): Promise<void>;
}
