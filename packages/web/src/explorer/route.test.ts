import { expect, test } from 'vitest';
import { parseRoute } from './route.ts';

test.each([
  ['', '', [], ''],
  ['#/', '/', [''], ''],
  ['#/blocks/12', '/blocks/12', ['blocks', '12'], ''],
  ['#/rollups/a%2Fb/messages?cursor=9', '/rollups/a%2Fb/messages', ['rollups', 'a/b', 'messages'], '9'],
  ['#/blocks/%', '/blocks/%', ['blocks', '%'], ''],
])('%s', (hash, path, parts, cursor) => {
  expect(parseRoute(hash)).toEqual({ path, parts, cursor });
});
