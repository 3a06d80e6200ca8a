// For unhandled.test.ts: tests that must fail, as the settings of all tests run them.
import { defineConfig } from 'vitest/config';
import { setupFiles } from './setup-files.mjs';

export default defineConfig({
  test: { include: ['scripts/unhandled/testdata/*.probe.mjs'], pool: 'threads', isolate: false, setupFiles },
});
