import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { meQuery } from '../data/session.ts';
import { ErrorPage } from '../pages/errors/error-page.tsx';
import { afterSignIn, editorSearch, evalRunSearch, reviewsSearch, runPageSearch } from '../search.ts';
import { lazyPage } from './lazy-page.ts';
import { placeRoutes } from './places.generated.ts';
import { rootRoute, signedIn } from './signed-in.tsx';

/** Sign-in and registration redirect users who are already signed in to where they wanted to go. */
async function onlyAnonymous({
  context,
  search,
}: {
  context: { queryClient: QueryClient };
  search: { next?: string | undefined };
}): Promise<void> {
  const user = await context.queryClient.ensureQueryData(meQuery);
  if (user) throw redirect({ href: search.next ?? '/', replace: true });
}

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: afterSignIn,
  beforeLoad: onlyAnonymous,
  component: lazyPage(() => import('../pages/auth/sign-in-page.tsx'), 'SignInPage'),
});

const register = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  validateSearch: afterSignIn,
  beforeLoad: onlyAnonymous,
  component: lazyPage(() => import('../pages/auth/register-page.tsx'), 'RegisterPage'),
});

/** For people with a link, signed in or not. */
const review = createRoute({
  getParentRoute: () => rootRoute,
  path: '/review/$token',
  component: lazyPage(() => import('../pages/review/review-page.tsx'), 'ReviewPage'),
});

const editor = createRoute({
  getParentRoute: () => signedIn,
  path: '/workflows/$id',
  validateSearch: editorSearch,
  component: lazyPage(() => import('../pages/editor/editor-page.tsx'), 'EditorPage'),
});

const run = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$id',
  validateSearch: runPageSearch,
  component: lazyPage(() => import('../pages/runs/run/run-page.tsx'), 'RunPage'),
});

const openReviews = createRoute({
  getParentRoute: () => signedIn,
  path: '/inbox/reviews',
  validateSearch: reviewsSearch,
  component: lazyPage(() => import('../pages/inbox/reviews/reviews-page.tsx'), 'ReviewsPage'),
});

const evalSuite = createRoute({
  getParentRoute: () => signedIn,
  path: '/evals/$id',
  component: lazyPage(() => import('../pages/evals/suite-page.tsx'), 'EvalSuitePage'),
});

const evalRun = createRoute({
  getParentRoute: () => signedIn,
  path: '/evals/$id/runs/$run',
  validateSearch: evalRunSearch,
  component: lazyPage(() => import('../pages/evals/run-page.tsx'), 'EvalRunPage'),
});

const compare = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$id/compare/$other',
  component: lazyPage(() => import('../pages/runs/compare/compare-page.tsx'), 'ComparePage'),
});

const dataTable = createRoute({
  getParentRoute: () => signedIn,
  path: '/data-tables/$id',
  component: lazyPage(() => import('../pages/data-tables/data-table-page.tsx'), 'DataTablePage'),
});

const board = createRoute({
  getParentRoute: () => signedIn,
  path: '/boards/$id',
  component: lazyPage(() => import('../pages/boards/board-page.tsx'), 'BoardPage'),
});

const tree = rootRoute.addChildren([
  signIn,
  register,
  review,
  signedIn.addChildren([
    ...placeRoutes,
    editor,
    openReviews,
    evalSuite,
    evalRun,
    run,
    compare,
    dataTable,
    board,
  ]),
]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queryClient },
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: ErrorPage,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
