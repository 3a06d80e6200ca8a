import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { moduleCachePath } from './scripts/module-cache.mjs';
import { globalSetup, setupFiles } from './scripts/setup-files.mjs';
import LongFirst from './scripts/test/long-first.mjs';

// Sources, not dist: both lists are needed, the second for what Vitest loads outside its own transform. Node adds `import`
// to that by itself; named here it would hold for `require` too, which then gets modules where it expects CommonJS.
const conditions = ['switchyard-source', 'node', 'import', 'module', 'default'];
const outside = ['switchyard-source', 'node', 'default'];
const experimental = { fsModuleCache: true, fsModuleCachePath: moduleCachePath() };
const shared = { resolve: { conditions }, ssr: { resolve: { conditions: outside } } };

export default defineConfig({
  test: {
    globalSetup,
    experimental,
    sequence: { sequencer: LongFirst },
    projects: [
      {
        ...shared,
        test: {
          experimental,
          name: 'unit',
          include: [
            'packages/*/src/**/*.test.ts',
            '{e2e/{chaos,flood,support},scripts/wasm}/**/*.test.ts',
            '*.test.ts',
          ],
          // Files share the context of their worker: the suite is many times faster, and no test may keep module state.
          pool: 'threads',
          isolate: false,
          // For a test that hangs, not for one on a busy machine.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: Math.max(2, availableParallelism()),
          setupFiles,
        },
      },
      {
        ...shared,
        test: {
          experimental,
          name: 'e2e',
          globalSetup: './scripts/bundle.mjs',
          include: ['e2e/scenarios/**/*.test.ts'],
          pool: 'forks',
          // One at a time, unless scripts/test.mjs knows that these files may run beside each other.
          maxWorkers: Number(process.env.SWITCHYARD_E2E_WORKERS ?? 1),
          sequence: { groupOrder: 1 },
          testTimeout: 300_000,
          hookTimeout: 300_000,
          setupFiles,
        },
      },
    ],
  },
});
