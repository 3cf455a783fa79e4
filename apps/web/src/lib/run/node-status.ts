interface Result<Status> {
  readonly status: Status;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** How a result is shown: on the wire, a node that was stopped with its run is one that failed. */
export const readNodeStatus = <Status extends string>({
  status,
  metadata,
}: Result<Status>): Status | 'cancelled' =>
  status === 'error' && metadata?.['cancelled'] === true ? 'cancelled' : status;
