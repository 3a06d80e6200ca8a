import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { alice } from '@switchyard/network/accounts';
import { expect, test } from 'vitest';
import type { SequencerPort } from '../../connect.ts';
import { readInstance } from '../instance/instance.ts';
import { scratchInstance } from '../testing.ts';
import { addNetwork } from './add.ts';
import { checkComposerFunds } from './funds.ts';

async function remote() {
  const paths = scratchInstance();
  const { composer } = await addNetwork(
    paths,
    { name: 'far', grpc: 'http://far:1', rpc: 'http://far:2' },
    {
      status: async () => ({ chainId: 'far-1', height: 1n }),
      feeAssets: async () => ['utia'],
      checkGrpc: async () => {},
      balance: async () => 0n,
    },
  );
  const check = (balances: SequencerPort['balances']) =>
    checkComposerFunds(readInstance(paths, 'far', {}), {
      // Only balances are queried.
      sequencer: async () => ({ balances }) as unknown as SequencerPort,
    });
  return { paths, composer, check };
}

const never = () => Promise.reject(new Error('must not be asked'));

test('a network of our own is not asked about: its genesis pays the composer', async () => {
  const instance = readInstance(scratchInstance(), 'local', {});
  expect(await checkComposerFunds(instance, { sequencer: never })).toBeUndefined();
});

test('the payer is reported with its balance', async () => {
  const { composer, check } = await remote();
  expect(await check(async () => [{ asset: 'utia', amount: 5n }])).toBe(
    `the composer pays from ${composer.address}, which holds 5 utia`,
  );
});

test('an account that cannot pay stops the start, with its address and what to do', async () => {
  const { composer, check } = await remote();
  await expect(check(async () => [])).rejects.toThrow(
    `network far: the composer's account ${composer.address} holds nothing, so nothing could be submitted: send it some utia, for example with \`switchyard sequencer transfer ${composer.address} --amount 1000000 --network far --private-key-file YOUR_KEY\``,
  );
  await expect(check(async () => [{ asset: 'ntia', amount: 7n }])).rejects.toThrow('holds 7 ntia, but no utia');
});

test('a sequencer that does not answer is a warning: it may only be late', async () => {
  const { composer, check } = await remote();
  expect(await check(() => Promise.reject(new Error('connect ECONNREFUSED')))).toBe(
    `the composer pays from ${composer.address}; whether it has utia is not known: http://far:2 did not answer (connect ECONNREFUSED)`,
  );
});

test('a published key is refused, unless the files allow it', async () => {
  const { paths, composer, check } = await remote();
  writeFileSync(composer.keyFile, alice.key);
  await expect(check(never)).rejects.toThrow(`${composer.keyFile} holds a published test key`);
  const allowed = readFileSync(paths.networks, 'utf8').replace(
    'svc_composer_fee_asset = "utia"',
    'svc_composer_fee_asset = "utia"\nsvc_composer_allow_dev_key = "true"',
  );
  writeFileSync(paths.networks, allowed);
  expect(await check(async () => [{ asset: 'utia', amount: 1n }])).toContain(alice.address);
});

test('an absent or unreadable key is reported with how to make one, and nothing of it is shown', async () => {
  const { composer, check } = await remote();
  appendFileSync(composer.keyFile, 'x');
  await expect(check(never)).rejects.toThrow(
    /expected a key of 64 hex digits: make one with `switchyard sequencer account create --out \//,
  );
  rmSync(composer.keyFile);
  await expect(check(never)).rejects.toThrow(`no composer key at ${composer.keyFile}: make one with`);
});

test('a network without a composer has nothing to pay', async () => {
  const { paths } = await remote();
  const text = readFileSync(paths.networks, 'utf8').replaceAll(
    'networks.far.services.composer',
    'networks.far.services.watcher',
  );
  writeFileSync(paths.networks, text.replace('name = "composer"', 'name = "watcher"'));
  const instance = readInstance(paths, 'far', {});
  expect(instance.network.services.map(({ label }) => label)).toContain('watcher');
  expect(await checkComposerFunds(instance, { sequencer: never })).toBeUndefined();
});
