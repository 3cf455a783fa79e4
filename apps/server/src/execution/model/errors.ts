/** This process lost its lease; its runs belong to another. It must stop effects and exit. */
export class Fenced extends Error {
  constructor() {
    super('this process lost its lease on the database; its runs continue on other processes');
    this.name = 'Fenced';
  }
}

/** One run is no longer this process's: it was ended, removed or taken over. Its runner stops without a word. */
export class OwnershipLost extends Error {
  readonly run_id: string;
  constructor(run_id: string) {
    super(`run ${run_id} is no longer owned by this process`);
    this.name = 'OwnershipLost';
    this.run_id = run_id;
  }
}

/** Another run of the workflow has the same idempotency key; this one must not continue. */
export class DuplicateRun extends Error {
  readonly run_id: string;
  /** The run that came first. */
  readonly existing_run_id: string;
  constructor(run_id: string, existing_run_id: string) {
    super(`run ${existing_run_id} already has this idempotency key`);
    this.name = 'DuplicateRun';
    this.run_id = run_id;
    this.existing_run_id = existing_run_id;
  }
}

/**
 * The database could not be reached for five seconds, or refuses; the caller answers 503. The journal keeps trying in
 * the meantime, so that what was handed in becomes durable once the database is back.
 */
export class JournalUnavailable extends Error {
  constructor(cause: unknown) {
    super('the run could not be stored', { cause });
    this.name = 'JournalUnavailable';
  }
}

/** A record cannot be stored, however often it is sent: it takes too long, or the database refuses what is in it. */
export class RecordRefused extends JournalUnavailable {
  constructor(run_id: string, cause: unknown) {
    super(cause);
    this.name = 'RecordRefused';
    this.message = `a record of run ${run_id} could not be stored; make the results of its nodes smaller or simpler`;
  }
}

/** A write that comes with the end of a run failed, and not by the database: it would fail again. */
export class DefectiveWrite extends Error {
  constructor(cause: unknown) {
    super('a write at the end of a run failed', { cause });
    this.name = 'DefectiveWrite';
  }
}
