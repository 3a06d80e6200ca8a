import { JsonRpcError } from '@switchyard/service';
import { expect, test } from 'vitest';
import { estimateVerdict, sendVerdict } from './node-error.ts';

const error = (message: string, code = -32_000) => new JsonRpcError(code, message);

// Messages of geth 1.17 and anvil 1.7, and of this project's own node.
test.each([
  ['already known', 'held'],
  ['transaction already imported', 'held'],
  ['nonce too low: next nonce 5, tx nonce 4', 'later'],
  ['replacement transaction underpriced', 'later'],
  ['insufficient funds for gas * price + value', 'later'],
  ['max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 2', 'sign-again'],
  ['transaction underpriced: tip needed 1, tip permitted 0', 'sign-again'],
  ['txpool is full', 'later'],
])('the message "%s" means %s', (message, verdict) => {
  expect(sendVerdict(error(message))).toBe(verdict);
});

test.each([
  ['execution reverted: no thanks', 3, 'refused'],
  ['execution reverted', -32_000, 'refused'],
  ['gas required exceeds allowance (30000000)', -32_000, 'refused'],
  ['insufficient funds for transfer', -32_000, 'empty'],
  ['gas required exceeds allowance (0)', -32_000, 'empty'],
  ['header not found', -32_000, 'doubtful'],
])('an estimate that fails with "%s"', (message, code, verdict) => {
  expect(estimateVerdict(error(message, code))).toBe(verdict);
});
