import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense } from 'react';
import { createQueryClient } from './data/query-client.ts';
import { LanguageProvider } from './i18n/provider.tsx';
import { lazy } from './lib/code/lazy.ts';
import { createAppRouter } from './routes/routes.tsx';
import { useAppearance } from './session/appearance.ts';
import { TooltipProvider } from './ui/overlays/tooltip.tsx';

const ToastHost = lazy(() => import('./ui/overlays/toast-host.tsx'));

const queryClient = createQueryClient();
const router = createAppRouter(queryClient);

export function App() {
  useAppearance();
  return (
    <QueryClientProvider client={queryClient}>
      <LanguageProvider>
        <TooltipProvider>
          <RouterProvider router={router} />
          <Suspense>
            <ToastHost />
          </Suspense>
        </TooltipProvider>
      </LanguageProvider>
    </QueryClientProvider>
  );
}
