import { mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildTree, requireSpace } from './copy.ts';

const place = mkdtempSync(join(tmpdir(), 'switchyard-space-'));

test('a copy that cannot fit is refused before anything is stopped', async () => {
  await requireSpace(place, 1_000);
  await expect(requireSpace(place, Number.MAX_SAFE_INTEGER)).rejects.toThrow(
    /^\/.*: no room for a copy: it needs 9007199255 MB, \d+ MB are free$/,
  );
});

test('holes need no room', () => {
  writeFileSync(join(place, 'sparse'), 'x');
  truncateSync(join(place, 'sparse'), 1_000_000_000);
  expect(buildTree(place, ['sparse']).storedBytes).toBeLessThan(1_000_000);
});
