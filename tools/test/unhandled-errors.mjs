import { writeFileSync } from 'node:fs';

/** Reports how many errors of a run belong to no test, which the JSON of Vitest leaves out. */
export default class UnhandledErrors {
  onTestRunEnd(_modules, errors) {
    writeFileSync(process.env.UNHANDLED_ERRORS_FILE, String(errors.length));
  }
}
