import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, type RenderResult, render } from '@testing-library/react';
import { type ReactNode, Suspense } from 'react';
import { createQueryClient } from '../../data/query-client.ts';
import { LanguageProvider } from '../../i18n/provider.tsx';
import { TooltipProvider } from '../../ui/overlays/tooltip.tsx';

interface Place {
  /** Of the route in the app: `/workflows/$id`. */
  readonly path: string;
  /** As the browser shows it; absent: the path. */
  readonly address?: string;
}

/** Shows a part of the app as its only route, in the providers of the app, without a server. */
export function showAtPath({ path, address = path }: Place, part: ReactNode): Promise<RenderResult> {
  const root = createRootRoute();
  const app = createRoute({ getParentRoute: () => root, id: 'app' });
  const route = createRoute({
    getParentRoute: () => app,
    path,
    component: () => <Suspense>{part}</Suspense>,
  });
  const router = createRouter({
    routeTree: root.addChildren([app.addChildren([route])]),
    history: createMemoryHistory({ initialEntries: [address] }),
  });
  return act(async () =>
    render(
      <QueryClientProvider client={createQueryClient()}>
        <LanguageProvider>
          <TooltipProvider>
            <RouterProvider router={router} />
          </TooltipProvider>
        </LanguageProvider>
      </QueryClientProvider>,
    ),
  );
}
