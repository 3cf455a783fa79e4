import { readSandbox } from '@millrace/contracts';
import { useEndpoint } from './endpoint.ts';

/** Whether code of users can be run. An engine is started or stopped while a page is open, so it is asked again. */
export const useSandbox = () => useEndpoint(readSandbox, {}, { staleTime: 30_000 });
