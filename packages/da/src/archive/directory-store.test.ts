import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { directoryStore } from './directory-store.ts';
import { archiveStoreSuite } from './store.suite.ts';

const directories: string[] = [];

afterAll(() => {
  for (const each of directories) rmSync(each, { recursive: true, force: true });
});

archiveStoreSuite('a directory', async () => {
  const files = mkdtempSync(join(tmpdir(), 'switchyard-archive-'));
  directories.push(files);
  return { open: async () => directoryStore(files), files };
});
