import { readSandbox } from '@millrace/contracts';
import { queryOptions } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

/** Whether code of users can be run. An engine is started or stopped while a page is open, so it is asked again. */
export const sandboxQuery = queryOptions({
  queryKey: keys.sandbox,
  queryFn: ({ signal }) => api(readSandbox, {}, { signal }),
  staleTime: 30_000,
});
