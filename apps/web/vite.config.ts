import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type ProxyOptions } from 'vite';
import { compiledMessages } from './build/compiled-messages.ts';
import { endpointAddresses } from './build/endpoint-addresses.ts';

const server = process.env['API_URL'] ?? 'http://127.0.0.1:4600';

/** `/workflows/{id}` is a page for a browser and, with other verbs, an address of the API (§4.5). */
const apiOnly: ProxyOptions = {
  target: server,
  bypass: (request) => (request.headers.accept?.includes('text/html') ? '/index.html' : undefined),
};

const proxy: Record<string, ProxyOptions> = {
  '/api': { target: server },
  '/docs': { target: server },
  '/openapi.json': { target: server },
  '^/(folders|workflows)(/|$)': apiOnly,
  '^/chat/': { target: server, bypass: () => '/chat.html' },
};

/** The chat as a bubble on other sites: one file, which imports nothing. */
const EMBED = 'src/chat/embed.ts';

const REACT = /node_modules\/(react|react-dom|scheduler)\//;
const FRAME =
  /node_modules\/(@tanstack\/(react-)?(router|router-core|history|query-core|react-query|store|react-store)|use-intl|intl-messageformat|@formatjs|zustand|clsx|class-variance-authority)\//;
const CANVAS = /node_modules\/(@xyflow|d3-[a-z]+|@dagrejs|zundo)\//;
/** Without the grammars of languages, which load when someone writes code in them. */
const CODE =
  /node_modules\/(@codemirror\/(?!lang-)[a-z]+|@lezer\/(common|highlight)|style-mod|w3c-keyname|crelt)\//;

export default defineConfig({
  // The chat of portals has a smaller library than the web app.
  plugins: [
    endpointAddresses(),
    compiledMessages(),
    react({ exclude: [/\/src\/chat\//, /\/node_modules\//] }),
    tailwindcss(),
  ],
  server: { proxy },
  preview: { proxy },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    manifest: true,
    target: 'es2023',
    // The preload helper would write inline; all chunks come from our own origin and HTTP/2 or keep-alive suffices.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: ['index.html', 'chat.html', EMBED],
      // Our packages declare values only; without this the engine's interpreter would ride along with each contract.
      treeshake: { moduleSideEffects: [{ test: /\/packages\/[a-z]+\/src\//, sideEffects: false }] },
      output: {
        // Sites name it in their pages for years, so its address has no hash.
        entryFileNames: ({ name }) => (name === 'embed' ? 'embed.js' : 'assets/[name]-[hash].js'),
        codeSplitting: {
          groups: [
            { name: 'react', test: REACT, priority: 30 },
            { name: 'frame', test: FRAME, priority: 20 },
            { name: 'canvas', test: CANVAS, priority: 20 },
            { name: 'code', test: CODE, priority: 20 },
          ],
        },
      },
    },
  },
});
