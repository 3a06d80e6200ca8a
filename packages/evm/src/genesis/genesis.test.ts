import { hexToBytes, keccakHex } from '@switchyard/protocol/ethereum';
import { InvalidConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { NO_REQUESTS, requestsHash } from '../blocks/requests.ts';
import { SYSTEM_CONTRACTS } from '../rules/system-contracts.ts';
import { TEST_BRIDGE, testChain, testGenesisText } from '../testing.ts';
import { WITHDRAWER_ADDRESS } from '../withdrawer/predeploy.ts';
import { DEV_ACCOUNTS } from './development-accounts.ts';
import { BEACON_ROOTS_ADDRESS, BEACON_ROOTS_CODE, CREATE2_DEPLOYER_ADDRESS, evmGenesisFile } from './file.ts';
import { parseEvmGenesis } from './genesis.ts';

const text = evmGenesisFile({
  rollupName: 'test-evm',
  sequencerChainId: 'sequencer-test',
  startHeight: 2,
  timestamp: 1_700_000_000,
  bridges: [{ address: TEST_BRIDGE, asset: 'nria', precision: 9 }],
});

type Json = { [key: string]: Json } | Json[] | string | number | boolean | null;

/** The file with one thing changed; undefined takes it away. */
function changed(path: string, value: Json | undefined): string {
  const root: Json = JSON.parse(text);
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let at: Json = root;
  for (const key of keys) at = (at as { [key: string]: Json })[key] ?? {};
  if (value === undefined) delete (at as { [key: string]: Json })[last];
  else (at as { [key: string]: Json })[last] = value;
  return JSON.stringify(root);
}

const problems = (file: string) => {
  try {
    parseEvmGenesis(file, 'genesis.json');
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message.split('\n');
    throw error;
  }
  return [];
};

// Defect: Network ids above 4503599627370476 refused
test('a chain may have any id of 64 bits, which stands in its file as a number', async () => {
  const chainId = (1n << 64n) - 1n;
  const chain = await testChain({ genesis: { chainId } });
  expect(chain.chain.chainId).toBe(chainId);
  expect(testGenesisText({ chainId })).toContain('"chainId": 18446744073709551615,\n    "homesteadBlock": 0');
  const [from, to] = [chain.account(0), chain.account(1)];
  // The first of the two has the id in its signature, where it takes 65 bits.
  const sent = [from.transfer(to.address, 1n, { gasPrice: 10n ** 11n }), from.transfer(to.address, 1n)];
  const { block } = await chain.sequence(sent);
  expect(block.transactions).toHaveLength(2);
});

test('the file that is made for a new chain is one that is read', () => {
  const genesis = parseEvmGenesis(text, 'genesis.json');
  expect(genesis).toMatchObject({
    chainId: 1337n,
    rollupName: 'test-evm',
    gasLimit: 100_000_000n,
    sequencer: { chainId: 'sequencer-test', addressPrefix: 'astria', startHeight: 2n },
    celestia: { chainId: '', startHeight: 0n, searchHeightMaxLookAhead: 0n },
    feeRecipients: [],
    extraData: '0x',
    bridges: [{ asset: 'nria', precision: 9 }],
    header: { number: 0n, timestamp: 1_700_000_000n, baseFeePerGas: 1_000_000_000n, difficulty: 0n },
  });
  expect([...genesis.alloc.keys()]).toEqual([
    ...DEV_ACCOUNTS.map(({ address }) => address),
    BEACON_ROOTS_ADDRESS,
    CREATE2_DEPLOYER_ADDRESS,
    ...SYSTEM_CONTRACTS.map(({ address }) => address),
  ]);
  expect(genesis.forks.times.map(({ name, time }) => [name, time])).toEqual([
    ['cancun', 0n],
    ['prague', 0n],
    ['osaka', 0n],
  ]);
  expect(genesis.header.requestsHash).toBe(NO_REQUESTS);
  expect(genesis.alloc.get(DEV_ACCOUNTS[0]?.address ?? '0x')?.balance).toBe(10_000n * 10n ** 18n);
});

// SHA-256 of nothing.
test('a block without requests commits to none', () => {
  expect(requestsHash([])).toBe(NO_REQUESTS);
});

// Hashes of the codes on mainnet.
test('the contracts of Prague are those that are everywhere', () => {
  expect(SYSTEM_CONTRACTS.map(({ code }) => keccakHex(hexToBytes(code)))).toEqual([
    '0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d',
    expect.any(String),
    expect.any(String),
  ]);
});

// The hash that mainnet has for the contract of EIP-4788.
test('the contract of EIP-4788 is the one that is everywhere', () => {
  expect(keccakHex(hexToBytes(BEACON_ROOTS_CODE))).toBe(
    '0xf57acd40259872606d76197ef052f3d35588dadf919ee1f0e3cb9b62d3f4b02c',
  );
});

test('block 0 has this hash', async () => {
  const { chain } = await testChain();
  expect(chain.findHash(0n)).toMatchInlineSnapshot(
    `"0xe1d32da72278a906c4ebb945014422a89b7375d4a549ac395430436f2b1018f0"`,
  );
});

test.each<[string, Json | undefined, string]>([
  [
    'config.chainId',
    undefined,
    'config.chainId: expected a number from 1 to 2^64 - 1, in decimal or as hex with 0x, got nothing',
  ],
  ['config.chainId', 0, 'config.chainId: expected a number from 1 to 2^64 - 1'],
  ['config.londonBlock', 5, 'config.londonBlock: expected 0 (a chain with this fork from its first block), got 5'],
  [
    'config.cancunTime',
    undefined,
    'config.cancunTime: expected 0 (a chain with this fork from its first block), got nothing',
  ],
  ['config.pragueTime', 'x', 'config.pragueTime: expected a number from 0 to 2^63 - 1'],
  ['config.pragueTime', undefined, 'config.pragueTime: expected a time, because osakaTime is set, got nothing'],
  ['config.pragueTime', 5, 'config.osakaTime: expected pragueTime, 5, or a later time, got 0'],
  ['config.amsterdamTime', -1, 'config.amsterdamTime: expected a number from 0 to 2^63 - 1'],
  ['config.bogotaTime', 0, 'config.bogotaTime: expected nothing'],
  [
    'config.bpo1Time',
    0,
    'config.bpo1Time: expected nothing: this version has the rules of Ethereum up to Amsterdam, got 0',
  ],
  ['config.blobSchedule', undefined, 'config.blobSchedule: expected an object, got nothing'],
  ['config.blobSchedule.prague', undefined, 'config.blobSchedule.prague: expected an object, got nothing'],
  ['config.blobSchedule.prague.baseFeeUpdateFraction', 0, 'config.blobSchedule.prague: expected target and max'],
  [
    'config.depositContractAddress',
    '0x00000000219ab540356cbb839cbe05303d7705fa',
    'config.depositContractAddress: expected nothing: no beacon chain takes deposits of this chain',
  ],
  [
    'alloc.0x00000961ef480eb55e80d19ad83579a64c007002',
    undefined,
    'alloc: expected the contract 0x00000961ef480eb55e80d19ad83579a64c007002',
  ],
  ['config.switchyard', undefined, 'config.switchyard: expected the section that names rollup'],
  ['config.switchyard.rollupName', '', 'config.switchyard.rollupName: expected text of 1 to 64 bytes, got ""'],
  ['config.switchyard.typo', 1, 'config.switchyard.typo: expected a known key'],
  ['config.switchyard.sequencer.startHeight', 0, 'sequencer.startHeight: expected a number from 1 to 2^32 - 1'],
  ['config.switchyard.feeRecipient', '0x12', 'config.switchyard.feeRecipient: expected an address of 40 hex digits'],
  [
    'config.switchyard.bridgeAddresses.0.bridgeAddress',
    'celestia1qqqq',
    'bridgeAddresses[0].bridgeAddress: expected a bech32m',
  ],
  ['config.switchyard.bridgeAddresses.0.assetPrecision', 19, 'assetPrecision: expected a number from 0 to 18, got 19'],
  ['config.switchyard.bridgeAddresses.0.erc20Asset', {}, 'erc20Asset: expected nothing: only native coins'],
  [
    'gasLimit',
    undefined,
    'gasLimit: expected a number from 21000 to 2^53 - 1, in decimal or as hex with 0x, got nothing',
  ],
  ['gasLimit', '20000', 'gasLimit: expected a number from 21000'],
  ['difficulty', '0x20000', 'difficulty: expected 0 (a chain without mining)'],
  ['extraData', `0x${'00'.repeat(33)}`, 'extraData: expected at most 32 bytes'],
  ['alloc.alice', { balance: '0x0' }, 'alloc.alice: expected an address of 40 hex digits'],
  ['alloc.0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266.balance', '-1', 'balance: expected a number from 0 to 2^256 - 1'],
  ['alloc.0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266.code', '0x0', 'code: expected at most 1048576 bytes as hex'],
  [
    'alloc.0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266.storage',
    { '0xzz': '0x1' },
    'storage.0xzz: expected at most 32 bytes',
  ],
])('reports what is wrong with %s = %j', (path, value, line) => {
  const found = problems(changed(path, value));
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(line);
});

test('an address with a wrong checksum, and a duplicate one, are reported', () => {
  const wrong = '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
  expect(problems(changed(`alloc.${wrong}`, {}))).toEqual([expect.stringContaining('checksum')]);
  const twice = 'F39FD6E51AAD88F6F4CE6AB8827279CFFFB92266';
  expect(problems(changed(`alloc.${twice}`, {}))).toEqual([expect.stringContaining('each address once')]);
});

test('all mistakes are reported at once', () => {
  const broken = JSON.parse(changed('gasLimit', 'much'));
  broken.config.chainId = 'x';
  expect(problems(JSON.stringify(broken))).toHaveLength(2);
});

test('fee recipients may change with the height', () => {
  const first = `0x${'11'.repeat(20)}` as const;
  const later = `0x${'22'.repeat(20)}` as const;
  const { feeRecipients } = parseEvmGenesis(changed('config.switchyard.feeRecipient', { 100: later, 1: first }), 'g');
  expect(feeRecipients).toEqual([
    { from: 1n, recipient: first },
    { from: 100n, recipient: later },
  ]);
});

const reference = (fork: Json): string => {
  const root = JSON.parse(text);
  delete root.config.switchyard;
  root.config = { ...root.config, astriaRollupName: 'flame', astriaOverrideGenesisExtraData: true, astriaForks: fork };
  return JSON.stringify(root);
};
const fork = {
  height: 1,
  halt: 'false',
  feeCollector: `0x${'33'.repeat(20)}`,
  sequencer: { chainId: 'sequencer-test', addressPrefix: 'astria', startHeight: '7' },
  celestia: { chainId: 'mocha-4', startHeight: 5, searchHeightMaxLookAhead: '10' },
  bridgeAddresses: [{ bridgeAddress: TEST_BRIDGE, assetDenom: 'nria', assetPrecision: 9 }],
};

test("the reference's form with one fork is read", () => {
  expect(parseEvmGenesis(reference({ launch: fork }), 'g')).toMatchObject({
    rollupName: 'flame',
    sequencer: { startHeight: 7n },
    celestia: { chainId: 'mocha-4', startHeight: 5n, searchHeightMaxLookAhead: 10n },
    feeRecipients: [{ from: 1n, recipient: `0x${'33'.repeat(20)}` }],
  });
});

test.each<[string, Json, string]>([
  ['two forks', { a: fork, b: fork }, 'astriaForks: expected an object with exactly one fork'],
  ['one that begins later', { a: { ...fork, height: 2 } }, 'astriaForks.a.height: expected 1'],
  ['a halt', { a: { ...fork, halt: true } }, 'halt: expected false'],
  ['other fees', { a: { ...fork, eip1559Params: { minBaseFee: 5 } } }, 'minBaseFee: expected 0'],
])("the reference's form with %s is refused", (_, forks, line) => {
  expect(problems(reference(forks))).toEqual([expect.stringContaining(line)]);
});

test('text that is no JSON is reported with its position', () => {
  expect(problems('{"config": }')).toEqual([expect.stringContaining('line 1, column 12')]);
});

// Chains have this code for ever: another version of the contract comes next to it, so that the explorer still knows the first.
test('block 0 with the contract for withdrawals has this hash', async () => {
  const { chain } = await testChain({ genesis: { withdrawer: true } });
  expect(chain.findHash(0n)).toMatchInlineSnapshot(
    `"0xd3a26822297738cff1b16504522f6afacbbe98abfc198a27ba2cd6d21304196d"`,
  );
});

test('a withdrawer that pays from another account than the bridge is refused', () => {
  const bridge = { address: TEST_BRIDGE, asset: 'nria', precision: 9 };
  const file = (changes: object) => testGenesisText({ withdrawer: true, bridges: [{ ...bridge, ...changes }] });
  const own = file({ minimum: 7n });
  expect(problems(own)).toEqual([]);
  const others = [{ address: TEST_BRIDGE.replace(/.$/, 'q') }, { asset: 'utia' }, { precision: 8 }].map(file);
  for (const other of others) {
    const mixed = JSON.parse(own);
    mixed.alloc[WITHDRAWER_ADDRESS] = JSON.parse(other).alloc[WITHDRAWER_ADDRESS];
    expect(problems(JSON.stringify(mixed))).toEqual([
      `genesis.json: alloc: expected no contract at ${WITHDRAWER_ADDRESS}, or the storage for ${TEST_BRIDGE} (nria, precision 9) there, got another storage; correct the file`,
    ]);
  }
  const without = JSON.parse(own);
  without.config.switchyard.bridgeAddresses = [];
  expect(problems(JSON.stringify(without))).toEqual([
    `genesis.json: alloc: expected no contract at ${WITHDRAWER_ADDRESS}, or the storage for a bridge account there, got another storage; correct the file`,
  ]);
});
