import { expect, test } from 'vitest';
import { jsonLine } from './json-line.ts';

const text = `{
  "name": "a: {",
  "config": { "chainId": 1,
    "switchyard": {
      "bridges": [
        { "address": "x" }, [1,
        2],
        { "asset": "y\\"",
          "precision": 9 }
      ]
    }
  },
  "alloc": {}
}
`;

test.each([
  ['name', 2],
  ['config', 3],
  ['config.chainId', 3],
  ['config.switchyard.bridges[0].address', 6],
  ['config.switchyard.bridges[1][1]', 7],
  ['config.switchyard.bridges[2].precision', 9],
  ['alloc', 13],
])('%s stands in line %d', (path, line) => {
  expect(jsonLine(text, path)).toBe(line);
});

test.each([
  ['config.switchyard.rollupName', 4],
  ['config.switchyard.bridges[2].address', 8],
  ['config.chain', 3],
  ['allocation', undefined],
  ['', undefined],
])('%s, which is absent, is at the innermost value around it, line %s', (path, line) => {
  expect(jsonLine(text, path)).toBe(line);
});
