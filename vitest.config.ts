import { defineConfig } from 'vitest/config';
import { globalSetup, setupFiles } from './scripts/setup-files.mjs';

// Sources, not dist: both lists are needed, the second for what Vitest loads outside its own transform.
const conditions = ['switchyard-source', 'node', 'import', 'module', 'default'];
const shared = { resolve: { conditions }, ssr: { resolve: { conditions } } };

export default defineConfig({
  test: {
    globalSetup,
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'e2e/{chaos,flood,support}/**/*.test.ts', '*.test.ts'],
          // One worker context for all files: the suite is many times faster, and no test may keep module state.
          pool: 'threads',
          isolate: false,
          setupFiles,
        },
      },
      {
        ...shared,
        test: {
          name: 'e2e',
          include: ['e2e/scenarios/**/*.test.ts'],
          pool: 'forks',
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          setupFiles,
        },
      },
    ],
  },
});
