import { listModelCredentials } from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

/** Credentials that an assistant can use, routers included. */
export const useModelCredentials = () =>
  useQuery({
    queryKey: [...keys.credentials, 'llm'],
    queryFn: ({ signal }) => api(listModelCredentials, {}, { signal }),
  });
