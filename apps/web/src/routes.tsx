import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { meQuery } from './data/session.ts';
import { ErrorPage } from './pages/errors/error-page.tsx';
import { NotFoundPage } from './pages/errors/not-found-page.tsx';
import {
  afterSignIn,
  analyticsSearch,
  assistantSearch,
  credentialsSearch,
  editorSearch,
  evalRunSearch,
  homeSearch,
  inboxSearch,
  reviewsSearch,
  runPageSearch,
  runsSearch,
  schedulesSearch,
  settingsSearch,
  teamsSearch,
  templatesSearch,
  tracesSearch,
} from './search.ts';
import { Frame } from './shell/frame.tsx';

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: Outlet,
  notFoundComponent: NotFoundPage,
});

/** Everything that needs a session. Users without one return to the same address after signing in. */
const signedIn = createRoute({
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
  component: lazyRouteComponent(() => import('./pages/auth/sign-in-page.tsx'), 'SignInPage'),
});

const register = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  validateSearch: afterSignIn,
  beforeLoad: onlyAnonymous,
  component: lazyRouteComponent(() => import('./pages/auth/register-page.tsx'), 'RegisterPage'),
});

/** For people with a link, signed in or not. */
const review = createRoute({
  getParentRoute: () => rootRoute,
  path: '/review/$token',
  component: lazyRouteComponent(() => import('./pages/review/review-page.tsx'), 'ReviewPage'),
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: homeSearch,
  component: lazyRouteComponent(() => import('./pages/home/home-page.tsx'), 'HomePage'),
});

const editor = createRoute({
  getParentRoute: () => signedIn,
  path: '/workflows/$id',
  validateSearch: editorSearch,
  component: lazyRouteComponent(() => import('./pages/editor/editor-page.tsx'), 'EditorPage'),
});

const runs = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('./pages/runs/runs-page.tsx'), 'RunsPage'),
});

const run = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$id',
  validateSearch: runPageSearch,
  component: lazyRouteComponent(() => import('./pages/runs/run/run-page.tsx'), 'RunPage'),
});

const inbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/inbox',
  validateSearch: inboxSearch,
  component: lazyRouteComponent(() => import('./pages/inbox/inbox-page.tsx'), 'InboxPage'),
});

const openReviews = createRoute({
  getParentRoute: () => signedIn,
  path: '/inbox/reviews',
  validateSearch: reviewsSearch,
  component: lazyRouteComponent(() => import('./pages/inbox/reviews/reviews-page.tsx'), 'ReviewsPage'),
});

const assistant = createRoute({
  getParentRoute: () => signedIn,
  path: '/assistant',
  validateSearch: assistantSearch,
  component: lazyRouteComponent(() => import('./pages/assistant/assistant-page.tsx'), 'AssistantPage'),
});

const traces = createRoute({
  getParentRoute: () => signedIn,
  path: '/traces',
  validateSearch: tracesSearch,
  component: lazyRouteComponent(() => import('./pages/traces/traces-page.tsx'), 'TracesPage'),
});

const evals = createRoute({
  getParentRoute: () => signedIn,
  path: '/evals',
  component: lazyRouteComponent(() => import('./pages/evals/evals-page.tsx'), 'EvalsPage'),
});

const evalSuite = createRoute({
  getParentRoute: () => signedIn,
  path: '/evals/$id',
  component: lazyRouteComponent(() => import('./pages/evals/suite-page.tsx'), 'EvalSuitePage'),
});

const evalRun = createRoute({
  getParentRoute: () => signedIn,
  path: '/evals/$id/runs/$run',
  validateSearch: evalRunSearch,
  component: lazyRouteComponent(() => import('./pages/evals/run-page.tsx'), 'EvalRunPage'),
});

const compare = createRoute({
  getParentRoute: () => signedIn,
  path: '/runs/$id/compare/$other',
  component: lazyRouteComponent(() => import('./pages/runs/compare/compare-page.tsx'), 'ComparePage'),
});

const credentials = createRoute({
  getParentRoute: () => signedIn,
  path: '/credentials',
  validateSearch: credentialsSearch,
  component: lazyRouteComponent(() => import('./pages/credentials/credentials-page.tsx'), 'CredentialsPage'),
});

const variables = createRoute({
  getParentRoute: () => signedIn,
  path: '/variables',
  component: lazyRouteComponent(() => import('./pages/variables/variables-page.tsx'), 'VariablesPage'),
});

const skills = createRoute({
  getParentRoute: () => signedIn,
  path: '/skills',
  component: lazyRouteComponent(() => import('./pages/skills/skills-page.tsx'), 'SkillsPage'),
});

const vectorStores = createRoute({
  getParentRoute: () => signedIn,
  path: '/vector-stores',
  component: lazyRouteComponent(
    () => import('./pages/vector-stores/vector-stores-page.tsx'),
    'VectorStoresPage',
  ),
});

const dataTables = createRoute({
  getParentRoute: () => signedIn,
  path: '/data-tables',
  component: lazyRouteComponent(() => import('./pages/data-tables/data-tables-page.tsx'), 'DataTablesPage'),
});

const dataTable = createRoute({
  getParentRoute: () => signedIn,
  path: '/data-tables/$id',
  component: lazyRouteComponent(() => import('./pages/data-tables/data-table-page.tsx'), 'DataTablePage'),
});

const boards = createRoute({
  getParentRoute: () => signedIn,
  path: '/boards',
  component: lazyRouteComponent(() => import('./pages/boards/boards-page.tsx'), 'BoardsPage'),
});

const board = createRoute({
  getParentRoute: () => signedIn,
  path: '/boards/$id',
  component: lazyRouteComponent(() => import('./pages/boards/board-page.tsx'), 'BoardPage'),
});

const teams = createRoute({
  getParentRoute: () => signedIn,
  path: '/teams',
  validateSearch: teamsSearch,
  component: lazyRouteComponent(() => import('./pages/teams/teams-page.tsx'), 'TeamsPage'),
});

const templates = createRoute({
  getParentRoute: () => signedIn,
  path: '/templates',
  validateSearch: templatesSearch,
  component: lazyRouteComponent(() => import('./pages/templates/templates-page.tsx'), 'TemplatesPage'),
});

const files = createRoute({
  getParentRoute: () => signedIn,
  path: '/files',
  component: lazyRouteComponent(() => import('./pages/files/files-page.tsx'), 'FilesPage'),
});

const triggers = createRoute({
  getParentRoute: () => signedIn,
  path: '/triggers',
  component: lazyRouteComponent(() => import('./pages/triggers/triggers-page.tsx'), 'TriggersPage'),
});

const mcp = createRoute({
  getParentRoute: () => signedIn,
  path: '/mcp',
  component: lazyRouteComponent(() => import('./pages/mcp/mcp-page.tsx'), 'McpPage'),
});

const schedules = createRoute({
  getParentRoute: () => signedIn,
  path: '/schedules',
  validateSearch: schedulesSearch,
  component: lazyRouteComponent(() => import('./pages/schedules/schedules-page.tsx'), 'SchedulesPage'),
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit',
  component: lazyRouteComponent(() => import('./pages/audit/audit-page.tsx'), 'AuditPage'),
});

const settings = createRoute({
  getParentRoute: () => signedIn,
  path: '/settings',
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import('./pages/settings/settings-page.tsx'), 'SettingsPage'),
});

const analytics = createRoute({
  getParentRoute: () => signedIn,
  path: '/analytics',
  validateSearch: analyticsSearch,
  component: lazyRouteComponent(() => import('./pages/analytics/analytics-page.tsx'), 'AnalyticsPage'),
});

const tree = rootRoute.addChildren([
  signIn,
  register,
  review,
  signedIn.addChildren([
    home,
    editor,
    inbox,
    openReviews,
    assistant,
    traces,
    evals,
    evalSuite,
    evalRun,
    runs,
    run,
    compare,
    triggers,
    schedules,
    credentials,
    variables,
    vectorStores,
    skills,
    mcp,
    dataTables,
    dataTable,
    boards,
    board,
    teams,
    templates,
    files,
    audit,
    analytics,
    settings,
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
