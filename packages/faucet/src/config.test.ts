import { loadConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { fields, getCoin } from './config.ts';

const BASE = { SVC_FAUCET_PRIVATE_KEY_FILE: '/key', SVC_FAUCET_DB_FILEPATH: '/claims' };
const coin = (env: Readonly<Record<string, string>>) => getCoin(loadConfig(fields, { ...BASE, ...env }));

test.each([
  ['an EVM rollup', {}, { symbol: 'ETH', precision: 18, amount: 10n ** 18n }],
  ['a part of a coin', { SVC_FAUCET_AMOUNT: '0.25' }, { symbol: 'ETH', precision: 18, amount: 25n * 10n ** 16n }],
  ['the sequencer', { SVC_FAUCET_KIND: 'sequencer' }, { symbol: 'RIA', precision: 9, amount: 10n ** 9n }],
  [
    'another asset',
    { SVC_FAUCET_KIND: 'sequencer', SVC_FAUCET_ASSET: 'transfer/channel-0/osmo' },
    { symbol: 'transfer/channel-0/osmo', precision: 0, amount: 1n },
  ],
  [
    'millionths',
    { SVC_FAUCET_KIND: 'sequencer', SVC_FAUCET_ASSET: 'utia' },
    { symbol: 'TIA', precision: 6, amount: 10n ** 6n },
  ],
  [
    'names of its own',
    { SVC_FAUCET_SYMBOL: 'TIA', SVC_FAUCET_PRECISION: '6' },
    { symbol: 'TIA', precision: 6, amount: 10n ** 6n },
  ],
])('pays on %s', (_, env, expected) => {
  expect(coin(env)).toEqual(expected);
});

test.each([
  [
    { SVC_FAUCET_AMOUNT: '0' },
    'SVC_FAUCET_AMOUNT: expected a number above 0 with at most 18 digits after the point, got "0"',
  ],
  [
    { SVC_FAUCET_AMOUNT: '0.5', SVC_FAUCET_PRECISION: '0' },
    'SVC_FAUCET_AMOUNT: expected a whole number above 0 and below 2^128, got "0.5"',
  ],
])('refuses %j', (env, message) => {
  expect(() => coin(env)).toThrow(message);
});
