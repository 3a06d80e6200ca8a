import { createHash } from 'node:crypto';
import { InvalidConfig } from '@switchyard/service';
import { expect, test } from 'vitest';
import { TEST_BRIDGE } from '../testing.ts';
import { parseArchiveGenesis } from './archive-genesis.ts';
import { evmGenesisFile } from './file.ts';
import { parseEvmGenesis } from './genesis.ts';

/* The exact text of every kind of mistake in a genesis file: people read these, and scripts match them. */

function messages(value: unknown, parse: (text: string, file: string) => unknown = parseEvmGenesis): string[] {
  try {
    parse(typeof value === 'string' ? value : JSON.stringify(value), 'genesis.json');
  } catch (error) {
    if (error instanceof InvalidConfig) return error.message.split('\n');
    throw error;
  }
  return [];
}

const good = JSON.parse(
  evmGenesisFile({
    rollupName: 'test-evm',
    sequencerChainId: 'sequencer-test',
    startHeight: 2,
    timestamp: 1_700_000_000,
    bridges: [{ address: TEST_BRIDGE, asset: 'nria', precision: 9 }],
    forks: {},
  }),
);
const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

// The digest in a database is made from this value: a different one makes every existing database belong to another chain.
test('the values of a genesis file have this digest', () => {
  const { forks: _, ...values } = parseEvmGenesis(JSON.stringify(good), 'genesis.json');
  const text = JSON.stringify(values, (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    if (value instanceof Map) return [...value];
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value;
  });
  expect(createHash('sha256').update(text).digest('hex')).toMatchInlineSnapshot(
    `"552746605dfff8145faa27c49baabd0851f069dc4f326fbe840f3b1c113c4dd7"`,
  );
});

test('messages about the block and its accounts', () => {
  const bad = {
    ...good,
    parentHash: '0x1z',
    coinbase: '0x12',
    difficulty: '0x20000',
    number: 'first',
    gasLimit: '20000',
    gasUsed: null,
    timestamp: -1,
    extraData: `0x${'00'.repeat(33)}`,
    mixHash: 5,
    mixhash: '0x0',
    nonce: [],
    baseFeePerGas: `0x1${'0'.repeat(32)}`,
    gas_limit: 5,
    alloc: {
      alice: { balance: '0x0' },
      [ADDRESS]: { balance: '-1', nonce: 1.5, code: '0x0', storage: { '0xzz': '0x1', '0x1': {} }, more: 1 },
      [ADDRESS.slice(2).toUpperCase()]: {},
      '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266': 5,
    },
  };
  expect(messages(bad)).toMatchInlineSnapshot(`
    [
      "genesis.json: gasLimit: expected a number from 21000 to 2^53 - 1, in decimal or as hex with 0x, got "20000"; correct the file",
      "genesis.json: parentHash: expected at most 32 bytes as hex with 0x, got "0x1z"; correct the file",
      "genesis.json: coinbase: expected an address of 40 hex digits, all in one case or with a valid checksum, got "0x12"; correct the file",
      "genesis.json: difficulty: expected 0 (a chain without mining), got "0x20000"; correct the file",
      "genesis.json: number: expected 0 (the first block), got "first"; correct the file",
      "genesis.json: timestamp: expected a number from 0 to 2^63 - 1, in decimal or as hex with 0x, got -1; correct the file",
      "genesis.json: extraData: expected at most 32 bytes as hex with 0x, got "0x00000000000000000000000000000000000000"… of 68 characters; correct the file",
      "genesis.json: mixHash: expected at most 32 bytes as hex with 0x, got 5; correct the file",
      "genesis.json: nonce: expected a number from 0 to 2^64 - 1, in decimal or as hex with 0x, got an empty list; correct the file",
      "genesis.json: baseFeePerGas: expected a number from 0 to 2^128 - 1, in decimal or as hex with 0x, got "0x100000000000000000000000000000000"; correct the file",
      "genesis.json: alloc.alice: expected an address of 40 hex digits, all in one case or with a valid checksum, got "alice"; correct the file",
      "genesis.json: alloc.0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266.nonce: expected a number from 0 to 2^64 - 1, in decimal or as hex with 0x, got 1.5; correct the file",
      "genesis.json: alloc.0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266.balance: expected a number from 0 to 2^256 - 1, in decimal or as hex with 0x, got "-1"; correct the file",
      "genesis.json: alloc.0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266.code: expected at most 1048576 bytes as hex with 0x, got "0x0"; correct the file",
      "genesis.json: alloc.0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266.storage.0xzz: expected at most 32 bytes as hex with 0x, got "0xzz"; correct the file",
      "genesis.json: alloc.0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266.storage.0x1: expected at most 32 bytes as hex with 0x, got an object; correct the file",
      "genesis.json: alloc.0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266.more: expected a known key: nonce, balance, code, storage, comment, privateKey, secretKey; correct the file",
      "genesis.json: alloc.0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266: expected an object, got 5; correct the file",
      "genesis.json: mixhash: expected one spelling of this key; "mixHash" is there too; correct the file",
      "genesis.json: gas_limit: expected a known key, such as "gasLimit": config, gasLimit, parentHash, coinbase, difficulty, number, gasUsed, timestamp, extraData, mixHash, nonce, baseFeePerGas, blobGasUsed, excessBlobGas, slotNumber, alloc; correct the file",
    ]
  `);
});

// Defect: EVM balance beyond 2^256, by a genesis and deposits
test('balances that deposits could bring beyond 256 bits are refused', () => {
  const half = String(1n << 254n);
  const other = `0x${'11'.repeat(20)}`;
  const codes = Object.entries<object>(good.alloc).map(([address, account]) => [
    address,
    { ...account, balance: '0x0' },
  ]);
  const alloc = (more: string) => ({
    ...Object.fromEntries(codes),
    [ADDRESS]: { balance: half },
    [other]: { balance: more },
  });
  expect(messages({ ...good, alloc: alloc(half) })).toEqual([]);
  expect(messages({ ...good, alloc: alloc(String((1n << 254n) + 1n)) })).toEqual([
    `genesis.json: alloc: expected balances of at most 2^255 wei in all, got ${(1n << 255n) + 1n} wei; correct the file`,
  ]);
});

test('messages about the chain and the rollup', () => {
  const { config } = good;
  const { switchyard } = config;
  const bad = {
    ...good,
    config: {
      ...config,
      chainId: 0,
      londonBlock: 5,
      cancunTime: undefined,
      pragueTime: 0,
      switchyard: {
        ...switchyard,
        rollupName: '',
        typo: 1,
        sequencer: { chainId: '', addressPrefix: 'x'.repeat(21), startHeight: 0, more: 1 },
        celestia: { chainId: 5, startHeight: -1, searchHeightMaxLookAhead: 'x' },
        feeRecipient: { 0: ADDRESS, 5: '0x1' },
        extraData: 5,
        bridgeAddresses: [
          { bridgeAddress: 'celestia1qqqq', assetDenom: 'a/b', assetPrecision: 19, erc20Asset: {}, senderAddress: 5 },
          {},
          5,
        ],
      },
    },
  };
  expect(messages(bad)).toMatchInlineSnapshot(`
    [
      "genesis.json: config.chainId: expected a number from 1 to 2^64 - 1, in decimal or as hex with 0x, got 0; correct the file",
      "genesis.json: config.londonBlock: expected 0 (a chain with this fork from its first block), got 5; correct the file",
      "genesis.json: config.cancunTime: expected 0 (a chain with this fork from its first block), got nothing; correct the file",
      "genesis.json: config.blobSchedule.prague: expected an object, got nothing; correct the file",
      "genesis.json: config.switchyard.rollupName: expected text of 1 to 64 bytes, got ""; correct the file",
      "genesis.json: config.switchyard.sequencer.chainId: expected text of 1 to 50 bytes, got ""; correct the file",
      "genesis.json: config.switchyard.sequencer.addressPrefix: expected text of 1 to 20 bytes, got "xxxxxxxxxxxxxxxxxxxxx"; correct the file",
      "genesis.json: config.switchyard.sequencer.startHeight: expected a number from 1 to 2^32 - 1, in decimal or as hex with 0x, got 0; correct the file",
      "genesis.json: config.switchyard.sequencer.more: expected a known key: chainId, addressPrefix, startHeight; correct the file",
      "genesis.json: config.switchyard.celestia.chainId: expected text of 1 to 50 bytes, got 5; correct the file",
      "genesis.json: config.switchyard.celestia.startHeight: expected a whole number from 0 to 2^32 - 1, got -1; correct the file",
      "genesis.json: config.switchyard.celestia.searchHeightMaxLookAhead: expected a whole number from 0 to 2^64 - 1, got "x"; correct the file",
      "genesis.json: config.switchyard.feeRecipient.0: expected a number from 1 to 2^63 - 1, in decimal or as hex with 0x, got "0"; correct the file",
      "genesis.json: config.switchyard.feeRecipient.5: expected an address of 40 hex digits, all in one case or with a valid checksum, got "0x1"; correct the file",
      "genesis.json: config.switchyard.extraData: expected at most 32 bytes as hex with 0x, got 5; correct the file",
      "genesis.json: config.switchyard.bridgeAddresses[0].erc20Asset: expected nothing: only native coins are bridged here, got an object; correct the file",
      "genesis.json: config.switchyard.bridgeAddresses[0].senderAddress: expected an address of 40 hex digits, all in one case or with a valid checksum, got 5; correct the file",
      "genesis.json: config.switchyard.bridgeAddresses[0].bridgeAddress: expected a bech32m address that begins with xxxxxxxxxxxxxxxxxxxxx1, got "celestia1qqqq"; correct the file",
      "genesis.json: config.switchyard.bridgeAddresses[0].assetDenom: expected a denomination, got "a/b"; correct the file",
      "genesis.json: config.switchyard.bridgeAddresses[0].assetPrecision: expected a number from 0 to 18, got 19; correct the file",
      "genesis.json: config.switchyard.bridgeAddresses[1].bridgeAddress: expected a bech32m address that begins with xxxxxxxxxxxxxxxxxxxxx1, got nothing; correct the file",
      "genesis.json: config.switchyard.bridgeAddresses[1].assetDenom: expected a denomination, got nothing; correct the file",
      "genesis.json: config.switchyard.bridgeAddresses[1].assetPrecision: expected a number from 0 to 18, got nothing; correct the file",
      "genesis.json: config.switchyard.bridgeAddresses[2]: expected an object, got 5; correct the file",
      "genesis.json: config.switchyard.typo: expected a known key: rollupName, sequencer, celestia, feeRecipient, extraData, bridgeAddresses; correct the file",
    ]
  `);
});

test('messages about documents of another form', () => {
  const reference = (astriaForks: unknown) => {
    const { switchyard: _, ...config } = good.config;
    return { ...good, config: { ...config, astriaRollupName: 'flame', astriaForks } };
  };
  const twice = good.config.switchyard.bridgeAddresses[0];
  const section = { ...good.config.switchyard, bridgeAddresses: [twice, twice] };
  const documents = [
    '{"config": }',
    '[]',
    '{}',
    { ...good, config: [] },
    { ...good, config: { ...good.config, switchyard: undefined } },
    { ...good, config: { ...good.config, switchyard: 5 } },
    { ...good, config: { ...good.config, switchyard: section } },
    { ...good, alloc: [] },
    reference({}),
    reference(5),
    reference({
      launch: {
        height: 2,
        halt: true,
        eip1559Params: { minBaseFee: 5 },
        precompiles: {},
        oracle: 5,
        unknown: 1,
      },
    }),
  ];
  expect(documents.map((document) => messages(document))).toMatchInlineSnapshot(`
    [
      [
        "genesis.json: expected JSON, got line 1, column 12: expected a value; correct the file",
      ],
      [
        "genesis.json: expected an object, got an empty list; correct the file",
      ],
      [
        "genesis.json: config: expected an object, got nothing; correct the file",
        "genesis.json: gasLimit: expected a number from 21000 to 2^53 - 1, in decimal or as hex with 0x, got nothing; correct the file",
      ],
      [
        "genesis.json: config: expected an object, got an empty list; correct the file",
      ],
      [
        "genesis.json: config.switchyard: expected the section that names rollup, sequencer and bridge accounts, got nothing; correct the file",
      ],
      [
        "genesis.json: config.switchyard: expected an object, got 5; correct the file",
      ],
      [
        "genesis.json: config.switchyard.bridgeAddresses: expected each bridge account once, got one of them twice; correct the file",
      ],
      [
        "genesis.json: alloc: expected an object, got an empty list; correct the file",
      ],
      [
        "genesis.json: config.astriaForks: expected an object with exactly one fork, got an object; correct the file",
      ],
      [
        "genesis.json: config.astriaForks: expected an object with exactly one fork, got 5; correct the file",
      ],
      [
        "genesis.json: config.astriaForks.launch.height: expected 1, got 2; correct the file",
        "genesis.json: config.astriaForks.launch.halt: expected false: this node does not halt, got true; correct the file",
        "genesis.json: config.astriaForks.launch.eip1559Params.minBaseFee: expected 0, got 5; correct the file",
        "genesis.json: config.astriaForks.launch.precompiles: expected nothing: this node does not have it, got an object; correct the file",
        "genesis.json: config.astriaForks.launch.oracle: expected nothing: this node does not have it, got 5; correct the file",
        "genesis.json: config.astriaForks.launch.sequencer: expected an object, got nothing; correct the file",
        "genesis.json: config.astriaForks.launch.unknown: expected a known key: height, halt, snapshotChecksum, eip1559Params, precompiles, oracle, appSpecificOrdering, sequencer, celestia, feeRecipient, extraData, bridgeAddresses; correct the file",
      ],
    ]
  `);
});

test('messages about the genesis of an archive', () => {
  const documents = [
    '{',
    '[]',
    {},
    { config: { chainId: 1 }, gasLimit: 'x', baseFeePerGas: 'y', unknown: 1 },
    { config: 5, gasLimit: 5 },
  ];
  expect(documents.map((document) => messages(document, parseArchiveGenesis))).toMatchInlineSnapshot(`
    [
      [
        "genesis.json: expected JSON, got line 1, column 2: expected a key in double quotes; correct the file",
      ],
      [
        "genesis.json: expected an object, got an empty list; correct the file",
      ],
      [
        "genesis.json: config: expected an object, got nothing; correct the file",
        "genesis.json: gasLimit: expected a number from 0 to 2^63 - 1, in decimal or as hex with 0x, got nothing; correct the file",
      ],
      [
        "genesis.json: gasLimit: expected a number from 0 to 2^63 - 1, in decimal or as hex with 0x, got "x"; correct the file",
        "genesis.json: baseFeePerGas: expected a number from 0 to 2^128 - 1, in decimal or as hex with 0x, got "y"; correct the file",
        "genesis.json: unknown: expected a known key: config, parentHash, coinbase, difficulty, gasLimit, timestamp, extraData, mixHash, nonce, baseFeePerGas, blobGasUsed, excessBlobGas, alloc, number, gasUsed, name, requestsHash, blockAccessListHash, slotNumber; correct the file",
      ],
      [
        "genesis.json: config: expected an object, got 5; correct the file",
      ],
    ]
  `);
});
