// For unhandled.test.ts and temporary.test.ts: runs of single files with the settings of all tests.
import { defineConfig } from 'vitest/config';
import { globalSetup, setupFiles } from './setup-files.mjs';

export default defineConfig({
  test: { include: ['scripts/*/testdata/*.probe.mjs'], pool: 'threads', isolate: false, globalSetup, setupFiles },
});
