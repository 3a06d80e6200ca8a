import { expect, test } from 'vitest';
import { reasonLine } from './reason.ts';

test.each([
  ['no answer to eth_chainId from http://127.0.0.1:8545', 'no answer to eth_chainId from http://127.0.0.1:8545'],
  ['no answer from https://node.example/v3/SECRET?key=SECRET', 'no answer from https://node.example'],
  ['no answer from https://user:SECRET@node.example:8545/: gone', 'no answer from https://node.example:8545: gone'],
  ['connect ECONNREFUSED 127.0.0.1:8545', 'connect ECONNREFUSED 127.0.0.1:8545'],
])('%s', (message, expected) => {
  expect(reasonLine(new Error(message))).toBe(expected);
});
