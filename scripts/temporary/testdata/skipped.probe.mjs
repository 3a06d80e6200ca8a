import { test } from 'vitest';

test.skip('is skipped like all tests of this file', () => undefined);
