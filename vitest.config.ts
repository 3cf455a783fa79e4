import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { compiledMessages } from './apps/web/build/compiled-messages.ts';
export default defineConfig({ plugins: [compiledMessages(), react()], test: { include: ['apps/web/src/**/*.test.tsx'], environment: 'jsdom', isolate: false, reporters: ['default'] } });
