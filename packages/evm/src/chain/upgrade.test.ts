import { EMPTY_CODE_HASH } from '@switchyard/evm-machine/account';
import type { Address } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { InvalidConfig } from '@switchyard/service';
import { describe, expect, test } from 'vitest';
import { NO_REQUESTS, requestsHash } from '../blocks/requests.ts';
import { openMemoryDatabase } from '../database/memory.ts';
import { CREATE2_DEPLOYER_ADDRESS } from '../genesis/file.ts';
import type { ForkSchedule } from '../rules/forks.ts';
import {
  AMSTERDAM_CONTRACTS,
  BUILDER_DEPOSITS_ADDRESS,
  BUILDER_EXITS_ADDRESS,
  HISTORY_ADDRESS,
  REQUEST_CONTRACTS,
  SYSTEM_CONTRACTS,
} from '../rules/system-contracts.ts';
import { builderDeployments, systemDeployments } from '../testing/system-deployments.ts';
import { testChain, testGenesisText } from '../testing.ts';
import { encodeForkTimes, forkTimes, rescheduled } from './upgrade.ts';

const planned = (prague?: bigint, osaka?: bigint): ForkSchedule => ({
  blocks: [],
  times: [
    ...(prague === undefined ? [] : [{ name: 'prague', time: prague } as const]),
    ...(osaka === undefined ? [] : [{ name: 'osaka', time: osaka } as const]),
  ],
});
const kept = (...times: Parameters<typeof planned>) => forkTimes(encodeForkTimes(planned(...times)));

test('times are kept as they were planned', () => {
  expect([...kept(5n, 7n)]).toEqual([
    ['prague', 5n],
    ['osaka', 7n],
  ]);
  expect([...kept(5n)]).toEqual([['prague', 5n]]);
  expect([...kept()]).toEqual([]);
});

const at = { timestamp: 100n, hasCode: () => true };

test.each([
  ['nothing new', kept(5n), planned(5n), false],
  ['the first upgrade', kept(), planned(101n), true],
  ['the next one', kept(5n), planned(5n, 101n), true],
  ['both at once', kept(), planned(101n, 101n), true],
  ['one that is put off', kept(101n), planned(500n), true],
  ['one that is called off', kept(101n), planned(), true],
])('plans %s', (_, before, after, changes) => {
  expect(rescheduled(before, after, at)).toBe(changes);
});

test.each([
  [
    'a time of the newest block',
    kept(),
    planned(100n),
    /config.pragueTime: a time after the newest block, 100, or none, got 100/,
  ],
  ['a time of old blocks', kept(5n), planned(5n, 50n), /config.osakaTime: a time after the newest block, 100/],
  ['another time for what is in force', kept(5n), planned(6n), /config.pragueTime: 5, since blocks .* exist, got 6/],
  ['to leave what is in force', kept(100n), planned(), /config.pragueTime: 100, since blocks .* exist, got nothing/],
  [
    'to hurry what is planned',
    kept(200n),
    planned(90n),
    /config.pragueTime: a time after the newest block, 100, or 200, got 90/,
  ],
])('refuses %s', (_, before, after, line) => {
  expect(() => rescheduled(before, after, at)).toThrow(line);
  expect(() => rescheduled(before, after, at)).toThrow(InvalidConfig);
});

test('plans Prague only where its contracts are', () => {
  const without = { timestamp: 100n, hasCode: (address: string) => address !== REQUEST_CONTRACTS[1]?.address };
  expect(() => rescheduled(kept(), planned(101n), without)).toThrow(/0x0000bbddc7ce488642fb579f8b00f3a590007251/);
  // Elsewhere it is found out when the block comes.
  expect(rescheduled(kept(), planned(101n), { ...without, hasCode: undefined })).toBe(true);
  expect(rescheduled(kept(101n), planned(), without)).toBe(true);
});

describe('a chain that began with Cancun', () => {
  const start = 1_700_000_000n;
  const text = testGenesisText({ forks: {} });
  const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
  /** The genesis file with times added, as its operator edits it. */
  const later = (pragueTime: bigint, osakaTime: bigint) => {
    const file = JSON.parse(text);
    Object.assign(file.config, { pragueTime: Number(pragueTime), osakaTime: Number(osakaTime) });
    file.config.blobSchedule.prague = blobs;
    return JSON.stringify(file);
  };

  test('gets the contracts by the transactions of their EIPs, and then the rules of Prague and of Osaka', async () => {
    const database = openMemoryDatabase();
    const { sequence, account, chain } = await testChain({ database, genesisText: text });
    const sender = account(0);
    await sequence([]);
    const genesisText = later(start + 20n, start + 30n);
    await expect(testChain({ database, genesisText })).rejects.toThrow(/0x00000961ef480eb55e80d19ad83579a64c007002/);

    const deployments = systemDeployments();
    await sequence(deployments.map((each) => sender.transfer(each.sender, 25n * 10n ** 16n)));
    const deployed = await sequence(deployments.map(({ raw }) => raw));
    expect(deployed.block.transactions.map(({ from }) => from)).toEqual(deployments.map((each) => each.sender));
    expect(deployed.receipts.map(({ status, contractAddress }) => [status, contractAddress])).toEqual(
      deployments.map(({ address }) => [1, address]),
    );
    const code = (address: Address) => {
      const state = chain.state(chain.heads.latest);
      return bytesToHex(state.code(state.account(address)?.codeHash ?? EMPTY_CODE_HASH));
    };
    for (const contract of SYSTEM_CONTRACTS) expect(code(contract.address)).toBe(contract.code);
    const hashes = [0n, 1n, 2n, 3n].map((number) => chain.findHash(number));

    const upgraded = await testChain({ database, genesisText });
    expect([0n, 1n, 2n, 3n].map((number) => upgraded.chain.findHash(number))).toEqual(hashes);
    const requests = async (seconds: bigint) => (await upgraded.sequence([], { seconds })).block.header.requestsHash;
    expect(await requests(start + 19n)).toBeUndefined();
    expect(await requests(start + 20n)).toBe(NO_REQUESTS);
    const slot = upgraded.chain.state(5n).storage(HISTORY_ADDRESS, toWord(4n));
    expect(toWord(slot)).toBe(upgraded.chain.findHash(4n));
    expect(await requests(start + 30n)).toBe(NO_REQUESTS);

    await expect(testChain({ database, genesisText: text })).rejects.toThrow(/config.pragueTime: 1700000020, since/);
    await expect(testChain({ database, genesisText: later(start + 20n, start + 31n) })).rejects.toThrow(
      /config.osakaTime: 1700000030, since/,
    );
  });

  test('makes no block of Prague without them', async () => {
    const database = openMemoryDatabase();
    await testChain({ database, genesisText: later(start + 20n, start + 30n) });
    const { sequence } = await testChain({ database, genesisText: later(start + 20n, start + 30n) });
    await sequence([], { seconds: start + 19n });
    await expect(sequence([], { seconds: start + 20n })).rejects.toThrow(/needs the contracts of EIP-7002/);
    // Put off, the same sequencer block becomes one of Cancun.
    const put = await testChain({ database, genesisText: later(start + 200n, start + 300n) });
    expect((await put.sequence([], { seconds: start + 20n })).block.header.requestsHash).toBeUndefined();
  });
});

test.each([true, false])(
  'what is asked of the two contracts is in the header, known code run directly: %s',
  async (direct) => {
    const { sequence, account, chain } = await testChain({ direct, genesis: { forks: { prague: 0, osaka: 0 } } });
    const sender = account(0);
    const ask = (address: Address, bytes: number) =>
      sender.call(address, new Uint8Array(bytes).fill(7), { value: 1n, gasLimit: 500_000n });
    const [withdrawals, consolidations] = REQUEST_CONTRACTS.map(({ address }) => address);
    if (withdrawals === undefined || consolidations === undefined) throw new Error('there are two contracts');
    const first = await sequence([]);
    expect([first.requests, first.block.header.requestsHash]).toEqual([[], NO_REQUESTS]);
    const wanted = await sequence([ask(withdrawals, 56), ask(consolidations, 96), ask(consolidations, 96)]);
    expect(wanted.receipts.map(({ status }) => status)).toEqual([1, 1, 1]);
    // Type, address of the sender and the data: 76 bytes each, and 116.
    expect(wanted.requests?.map((each) => [each[0], each.length])).toEqual([
      [1, 1 + 76],
      [2, 1 + 232],
    ]);
    expect(wanted.block.header.requestsHash).toBe(requestsHash(wanted.requests ?? []));
    expect(chain.requestsIn(2n).map(bytesToHex)).toEqual(wanted.requests?.map(bytesToHex));
    const after = await sequence([]);
    expect([after.requests, chain.requestsIn(3n)]).toEqual([[], []]);
    expect(chain.findHash(3n)).toMatchInlineSnapshot(
      `"0x1d22546b27fe2e4e5ae655abe2434fbca297dbc0e984557cdcce9971f82cfd48"`,
    );
  },
);

describe('a chain of Osaka', () => {
  const start = 1_700_000_000n;
  const forks = { prague: 0, osaka: 0 };
  const text = testGenesisText({ forks });
  const later = (amsterdamTime: bigint) => {
    const file = JSON.parse(text);
    Object.assign(file.config, { amsterdamTime: Number(amsterdamTime) });
    return JSON.stringify(file);
  };

  test('gets the contracts of EIP-8282 by the factory, and then the rules of Amsterdam', async () => {
    const database = openMemoryDatabase();
    const { sequence, account } = await testChain({ database, genesisText: text });
    const genesisText = later(start + 20n);
    await expect(testChain({ database, genesisText })).rejects.toThrow(/0x0000bff46984e3725691fa540a8c7589300d8282/);
    const made = await sequence(
      builderDeployments().map(({ input }) => account(0).call(CREATE2_DEPLOYER_ADDRESS, hexToBytes(input))),
    );
    expect(made.receipts.map(({ status }) => status)).toEqual([1, 1]);

    const { chain, sequence: next } = await testChain({ database, genesisText });
    const code = (address: Address) => {
      const state = chain.state(chain.heads.latest);
      return bytesToHex(state.code(state.account(address)?.codeHash ?? EMPTY_CODE_HASH));
    };
    for (const contract of AMSTERDAM_CONTRACTS) expect(code(contract.address)).toBe(contract.code);
    const getHeader = async (seconds: bigint) => (await next([], { seconds })).block.header;
    expect(await getHeader(start + 19n)).toMatchObject({ slotNumber: undefined, blockAccessListHash: undefined });
    // Block 3 is made from the sequencer's block at height 4, since the first is made from that at height 2.
    expect(await getHeader(start + 20n)).toMatchObject({ number: 3n, slotNumber: 4n });
    const transfer = account(1).transfer(`0x${'e7'.repeat(20)}`, 1n, { gasLimit: 300_000n });
    const { receipts, block } = await next([transfer], { seconds: start + 21n });
    expect(receipts.map(({ gasUsed, logs }) => [gasUsed, logs.length])).toEqual([[204_600n, 1]]);
    // More state gas than of the other kind.
    expect(block.header.gasUsed).toBe(183_600n);
    await expect(testChain({ database, genesisText: text })).rejects.toThrow(/config.amsterdamTime: 1700000020, since/);
  });

  test('makes no block of Amsterdam without them', async () => {
    const database = openMemoryDatabase();
    await testChain({ database, genesisText: later(start + 20n) });
    const { sequence } = await testChain({ database, genesisText: later(start + 20n) });
    await expect(sequence([], { seconds: start + 20n })).rejects.toThrow(/no code at 0x0000bff46984e3725691fa5/);
  });
});

test.each([true, false])(
  'what is asked of the contracts of EIP-8282 is in the header, known code run directly: %s',
  async (direct) => {
    const forks = { prague: 0, osaka: 0, amsterdam: 0 };
    const { sequence, account, chain } = await testChain({ direct, genesis: { forks } });
    const sender = account(0);
    const ask = (address: Address, data: Uint8Array, value: bigint) =>
      sender.call(address, data, { value, gasLimit: 2_000_000n });
    // A key, credentials, an amount of a coin in gwei, a signature.
    const deposit = new Uint8Array(184).fill(7);
    deposit.set(hexToBytes('0x000000003b9aca00'), 80);
    const exit = new Uint8Array(48).fill(7);
    const wanted = await sequence([
      ask(BUILDER_DEPOSITS_ADDRESS, deposit, 10n ** 18n + 1n),
      ask(BUILDER_EXITS_ADDRESS, exit, 1n),
      ask(BUILDER_EXITS_ADDRESS, exit, 1n),
    ]);
    expect(wanted.receipts.map(({ status }) => status)).toEqual([1, 1, 1]);
    expect(wanted.requests?.map((each) => [each[0], each.length])).toEqual([
      [3, 1 + 184],
      [4, 1 + 2 * 68],
    ]);
    expect(wanted.block.header.requestsHash).toBe(requestsHash(wanted.requests ?? []));
    expect((await sequence([])).requests).toEqual([]);
    expect(chain.findHash(2n)).toMatchInlineSnapshot(
      `"0xd7964b6e4affade0a4613398e8beb0f5c558af5831e026a196da37edec0d9238"`,
    );
  },
);
