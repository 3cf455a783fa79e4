import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { meQuery } from '../data/session.ts';
import { NotFoundPage } from '../pages/errors/not-found-page.tsx';
import { Frame } from '../shell/frame.tsx';

export const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

/** Everything that needs a session. Users without one return to the same address after signing in. */
export const signedIn = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  beforeLoad: async ({ context, location }) => {
    const user = await context.queryClient.ensureQueryData(meQuery);
    if (user) return;
    const next = location.href === '/' ? undefined : location.href;
    throw redirect({ to: '/sign-in', search: next ? { next } : {}, replace: true });
  },
  component: Frame,
  notFoundComponent: NotFoundPage,
});
