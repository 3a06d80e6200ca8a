import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountIdFromBytes, formatAddress } from '@switchyard/protocol';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_ROLLUP_NAME } from '../names.ts';
import { MAX_MANIFEST_BYTES } from './document.ts';
import { FIELDS, manifestFields } from './fields.ts';
import { readFieldText, readManifest } from './read.ts';
import { manifestSchema } from './schema.ts';
import { largeIdWarning, publicChain } from './together.ts';
import { editManifest, manifestText } from './write.ts';

const ADDRESS = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const CHECKSUMMED = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const KEY = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80';

/** The values that every manifest has to state. */
const minimal = `config:
  rollup:
    name: cosmic
    genesisAccounts:
      - address: '${ADDRESS}'
        balance: '100000000000000000000'
  sequencer:
    initialBlockHeight: '42'
`;

/** The lines of the error that reading throws. */
function mistakesIn(text: string): string[] {
  try {
    readManifest(text);
  } catch (error) {
    return error instanceof Error ? error.message.split('\n') : [];
  }
  return [];
}

describe('reading', () => {
  // Defect: Rollup name `1abc` refused
  test.each(['1abc', '7', 'a--b', 'z'.repeat(43)])('takes the name %s', (name) => {
    expect(readManifest(minimal.replace('name: cosmic', `name: ${name}`)).manifest).toMatchObject({ name });
  });

  // Defect: Pods logged text for people by default
  test('completes what is stated with defaults, and knows which are', () => {
    const { manifest, defaults, notes } = readManifest(minimal);
    expect(notes).toEqual([]);
    expect(manifest).toMatchObject({
      namespace: 'switchyard',
      useTTY: false,
      logLevel: 'debug',
      name: 'cosmic',
      chainId: 'cosmic-chain',
      networkId: 1337n,
      genesisAccounts: [{ address: ADDRESS, balance: 100n * 10n ** 18n }],
      sequencerHeight: 42n,
      sequencerRpc: 'http://127.0.0.1:26657',
      sequencerWebsocket: 'ws://127.0.0.1:26657/websocket',
      sequencerGrpc: 'http://127.0.0.1:8080',
      labelPrefix: 'cosmic',
      maxBytesPerBundle: 200_000,
    });
    expect(manifest.sequencerChainId).toBeUndefined();
    const stated = FIELDS.map(([key]) => key).filter((key) => !defaults.has(key));
    expect(stated).toEqual(['name', 'genesisAccounts', 'sequencerHeight']);
  });

  test('the endpoints of a node with names of its own follow from its RPC', () => {
    const { manifest } = readManifest(
      minimal.replace('sequencer:', 'sequencer:\n    rpc: https://rpc.sequencer.example/'),
    );
    expect([manifest.sequencerGrpc, manifest.sequencerWebsocket]).toEqual([
      'https://grpc.sequencer.example',
      'wss://rpc.sequencer.example/websocket',
    ]);
  });

  test('long numbers and addresses are exact, with quotes and without', () => {
    const bare = minimal
      .replaceAll("'", '')
      .replace('100000000000000000000', '340282366920938463463374607431768211455');
    expect(readManifest(bare).manifest.genesisAccounts).toEqual([{ address: ADDRESS, balance: (1n << 128n) - 1n }]);
  });

  test('addresses are taken in one case, with their checksum and without 0x', () => {
    for (const address of [CHECKSUMMED, ADDRESS.slice(2), ADDRESS.toUpperCase().replace('0X', '0x')])
      expect(readManifest(minimal.replace(ADDRESS, address)).manifest.genesisAccounts[0]?.address).toBe(ADDRESS);
  });

  // Defect: Name of 64 letters taken for a key
  test.each([
    [
      'a wrong checksum',
      ADDRESS,
      CHECKSUMMED.replace('C5', 'c5'),
      /^config\.rollup\.genesisAccounts\[0\]\.address: expected an address of 40 hex digits, .*EIP-55\), got "0x7/,
    ],
    [
      'a negative balance',
      "'100000000000000000000'",
      '-1',
      /genesisAccounts\[0\]\.balance: expected a whole number of wei below 2\^128, in decimal digits, got "-1"$/,
    ],
    ['a balance in scientific notation', "'100000000000000000000'", '1e20', /balance: expected .*, got "1e20"$/],
    [
      'a name in capitals',
      'cosmic',
      'Cosmic',
      /^config\.rollup\.name: expected 1 to 43 lower-case letters, digits and hyphens, .*, got "Cosmic"$/,
    ],
    ['a name with a dash at its end', 'cosmic', 'cosmic-', /^config\.rollup\.name: /],
    ['a name that no object fits', 'cosmic', 'c'.repeat(MAX_ROLLUP_NAME + 1), /^config\.rollup\.name: /],
    [
      'a height that no rollup can begin with',
      "'42'",
      "'1'",
      /^config\.sequencer\.initialBlockHeight: expected a height from 2 to 2\^32 - 1, got "1"$/,
    ],
    ['a height beyond 32 bits', "'42'", "'4294967296'", /initialBlockHeight: expected/],
    [
      'an unknown key',
      'name: cosmic',
      'name: cosmic\n    netwrokId: 5',
      /^config\.rollup\.netwrokId: no such key; expected one of name, .*; did you mean "networkId"\?$/,
    ],
    [
      'a section that is text',
      'sequencer:\n',
      'composer: yes\n  sequencer:\n',
      /^config\.composer: expected a section with feeAsset, maxBytesPerBundle, got something else$/,
    ],
    [
      'a value that is a section',
      'name: cosmic',
      'name: { a: b }',
      /^config\.rollup\.name: expected .*, got an object$/,
    ],
    [
      'a network id beyond 64 bits',
      'name: cosmic',
      'name: cosmic\n    networkId: 18446744073709551616',
      /networkId: expected a number from 1 to 2\^64 - 1, got "18446744073709551616"$/,
    ],
    [
      'a URL with an escape sequence',
      'sequencer:\n',
      'sequencer:\n    rpc: "http://host/\\e[2J"\n',
      /^config\.sequencer\.rpc: expected a URL .*, got "http:\/\/host\/\\u001b\[2J"$/,
    ],
    [
      'a URL with a password',
      'sequencer:\n',
      'sequencer:\n    rpc: http://me:secret@host\n',
      /^config\.sequencer\.rpc: expected a URL that begins with http/,
    ],
    [
      'a key of an account',
      'name: cosmic',
      `name: cosmic\n    privateKey: ${KEY}`,
      /^config\.rollup\.privateKey: keys do not belong in a manifest/,
    ],
    [
      'a bridge account of another chain',
      'name: cosmic',
      'name: cosmic\n    bridgeAddress: alice',
      /^config\.rollup\.bridgeAddress: expected an address in bech32m form/,
    ],
    [
      'a name of 64 letters, which is no key',
      'name: cosmic',
      `name: ${'a'.repeat(64)}`,
      /^config\.rollup\.name: expected 1 to 43 .*, got "a{64}"$/,
    ],
    [
      'no accounts',
      /genesisAccounts:.*'\n {2}sequencer/s,
      'genesisAccounts: []\n  sequencer',
      /^config\.rollup\.genesisAccounts: expected a list of 1 to 400 accounts, got an empty list$/,
    ],
    [
      'a duplicate key',
      'name: cosmic',
      'name: cosmic\n    name: comic',
      /^config\.rollup\.name: expected each key once, got it twice$/,
    ],
    ['a tag', 'name: cosmic', 'name: !!js/function cosmic', /tag/],
    [
      'a host name that is too long for DNS',
      'config:',
      `ingress:\n  hostname: ${'a.'.repeat(120)}b\nconfig:`,
      /^ingress\.hostname: expected at most \d+ characters/,
    ],
  ])('refuses %s', (_, part, instead, message) => {
    const lines = mistakesIn(minimal.replace(part, instead));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(message);
  });

  test('names all mistakes at once', () => {
    expect(
      mistakesIn('global: { namespace: A_B, useTTY: perhaps }\nextra: 1\n').map((line) => line.split(':')[0]),
    ).toEqual([
      'extra',
      'global.namespace',
      'global.useTTY',
      'config.rollup.name',
      'config.rollup.genesisAccounts',
      'config.sequencer.initialBlockHeight',
    ]);
  });

  test('an address twice is refused, whatever its case', () => {
    const twice = minimal.replace('  sequencer:', `      - address: '${CHECKSUMMED}'\n  sequencer:`);
    expect(mistakesIn(twice)).toEqual([
      `config.rollup.genesisAccounts: expected each address once, got ${ADDRESS} twice`,
    ]);
  });

  test('what may be a key is not repeated by an error', () => {
    for (const text of [
      minimal.replace(ADDRESS, KEY),
      minimal.replace(ADDRESS, `0x${KEY}`),
      minimal.replace('cosmic', KEY),
    ]) {
      const lines = mistakesIn(text);
      expect(lines).toHaveLength(1);
      expect(lines[0]).not.toContain(KEY);
      expect(lines[0]).toContain('may be a key');
    }
  });
});

describe('hostile files', () => {
  test.each([
    ['too many bytes', `#${'x'.repeat(MAX_MANIFEST_BYTES)}`, /^expected at most 65536 bytes, got 65537$/],
    ['brackets without end', '['.repeat(20_000), /^not YAML: /],
    ['lists in lists', '- '.repeat(500), /expected at most 10 levels$/],
    [
      'maps in maps',
      Array.from({ length: 100 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
      /expected at most 10 levels$/,
    ],
    ['an anchor and its aliases', 'a: &a [x, x]\nb: [*a, *a]\n', /anchor/],
    ['an alias to nothing', 'a: *b\n', /^not YAML: |alias/],
    [
      'many keys',
      Array.from({ length: 101 }, (_, key) => `k${key}: 1`).join('\n'),
      /^expected at most 100 keys, got 101$/,
    ],
    ['several documents', 'a: b\n---\nc: d\n', /^not YAML: /],
    ['keys that are lists', '? [a]\n: b\n', /keys that are text/],
    ['a name from the prototype', '__proto__: { a: b }\n', /^__proto__: no such key/],
    ['nothing', '', /^config\.rollup\.name: expected .*, got nothing$/],
    ['a list', '- a\n', /^expected sections/],
  ])('%s', (_, text, message) => {
    expect(mistakesIn(text)[0]).toMatch(message);
  });

  test('no text makes the reader throw anything but a description of what is wrong', () => {
    const piece = fc.constantFrom(
      'a',
      ':',
      ' ',
      '\n',
      '- ',
      '[',
      '{',
      '}',
      '&a',
      '*a',
      '!',
      '"',
      "'",
      '|',
      'config',
      '\t',
      '%',
      '@',
      '0x1',
      ',',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        try {
          readManifest(pieces.join(''));
        } catch (error) {
          expect(error).toMatchObject({ name: 'InvalidData' });
        }
      }),
    );
  });
});

describe("the reference's manifests", () => {
  test('the first form, with the namespace at the top and no DA node', () => {
    const { manifest, notes } = readManifest(`namespace: astria-dev-cluster
config:
  useTTY: false
  logLevel: debug
  rollup:
    name: cosmic
    chainId: cosmic-chain
    networkId: '912559'
    skipEmptyBlocks: false
    genesisAccounts:
    - address: ${ADDRESS.slice(2)}
      balance: '5'
  sequencer:
    initialBlockHeight: '7'
    websocket: wss://rpc.sequencer.example/websocket
    rpc: https://rpc.sequencer.example
ingress:
  hostname: localdev.me
celestia:
  fullNodeUrl: http://celestia-service:26658
`);
    expect(manifest).toMatchObject({
      namespace: 'astria-dev-cluster',
      useTTY: false,
      logLevel: 'debug',
      networkId: 912_559n,
    });
    expect(manifest.genesisAccounts).toEqual([{ address: ADDRESS, balance: 5n }]);
    expect(notes).toEqual([
      'namespace is read as global.namespace',
      'config.useTTY is read as global.useTTY',
      'config.logLevel is read as global.logLevel',
      'config.rollup.skipEmptyBlocks is left out: every sequencer block makes a rollup block',
      'celestia.fullNodeUrl is left out: it was the address of a program of the reference',
    ]);
  });

  test('the form with genesis.alloc', () => {
    const { manifest, notes } = readManifest(`global: { namespace: x, useTTY: true, logLevel: debug }
config:
  rollup:
    name: cosmic
    chainId: other-chain
    networkId: '1337'
    genesis:
      alloc:
      - address: ${ADDRESS}
        value: { balance: '9' }
  sequencer: { initialBlockHeight: '7' }
celestia-node: { config: { labelPrefix: cosmic } }
`);
    expect([manifest.chainId, manifest.genesisAccounts]).toEqual(['other-chain', [{ address: ADDRESS, balance: 9n }]]);
    expect(notes).toEqual([
      'config.rollup.genesis.alloc is read as config.rollup.genesisAccounts',
      'celestia-node.config.labelPrefix is read as da-node.config.labelPrefix',
    ]);
  });

  test('the last form: the rollup keeps its id, which followed from its name', () => {
    const { manifest, notes } = readManifest(`config:
  rollup:
    name: cosmic
    networkId: '1337'
    executionCommitLevel: SoftOnly
    genesis:
      overrideGenesisExtraData: true
      bridgeAllowedAssetDenom: nria
      alloc: [{ address: '${ADDRESS}', value: { balance: '9' } }]
  sequencer: { initialBlockHeight: '7', grpc: 'http://a:8080', chainId: astria-dusk-7, rpc: 'http://a:26657' }
celestia-node: { enabled: true, config: { labelPrefix: cosmic } }
resources:
  conductor: { requests: { cpu: 0.01, memory: 1Mi }, limits: { cpu: 0.1, memory: 20Mi } }
  composer: { requests: { cpu: 0.01, memory: 1Mi } }
  geth: { requests: { cpu: 0.25 } }
`);
    expect(manifest).toMatchObject({ chainId: 'cosmic', executionCommitLevel: 'SoftOnly', conductorMemory: '192Mi' });
    expect(notes).toHaveLength(9);
  });

  test('both spellings of one value are refused', () => {
    expect(mistakesIn(`namespace: a\nglobal: { namespace: b }\n${minimal}`)).toEqual([
      expect.stringMatching(/^namespace: no such key; expected one of global, /),
    ]);
  });
});

test.each([
  [4_503_599_627_370_476n, undefined],
  [4_503_599_627_370_477n, /MetaMask/],
  [9_007_199_254_740_992n, /JavaScript/],
  [9_223_372_036_854_775_772n, /is above 9223372036854775771: .*EIP-2294/],
])('of the network id %d, users have to expect: %s', (id, expected) => {
  if (expected === undefined) expect(largeIdWarning(id)).toBeUndefined();
  else expect(largeIdWarning(id)).toMatch(expected);
});

describe('writing', () => {
  const chosen = { name: 'cosmic', genesisAccounts: [{ address: ADDRESS, balance: 10n ** 30n }], sequencerHeight: 42n };

  test('a new manifest has these keys, and long numbers in quotes', () => {
    expect(
      manifestText(chosen),
    ).toBe(`# Rollup cosmic. \`switchyard rollup config show\` lists every key with its default.

global:
  namespace: switchyard
  useTTY: false
  logLevel: debug
config:
  rollup:
    name: cosmic
    chainId: cosmic-chain
    networkId: '1337'
    genesisAccounts:
      - address: '${ADDRESS}'
        balance: '1000000000000000000000000000000'
    pragueTime: '0'
    osakaTime: '0'
    bridgeMinimum: '1000'
    bridgeWithdrawer: true
  sequencer:
    initialBlockHeight: '42'
    rpc: http://127.0.0.1:26657
    websocket: ws://127.0.0.1:26657/websocket
ingress:
  hostname: localhost
da-node:
  config:
    labelPrefix: cosmic
`);
  });

  test('the manifest of a rollup of an author has its genesis as it was, and nothing of an EVM', () => {
    const genesis = '{\n  "start": 12345678901234567890,\n  "name": "#: \'x\'"\n}\n';
    const text = manifestText({
      name: 'market',
      kind: 'defined',
      genesis,
      program: 'bin/market.mjs',
      sequencerHeight: 42n,
    });
    expect(text).toContain(
      '    kind: defined\n    program: bin/market.mjs\n    genesis: |\n      {\n        "start": 12345678901234567890,',
    );
    expect(text).not.toMatch(/networkId|genesisAccounts|prague/);
    expect(readManifest(text).manifest).toMatchObject({
      ...{ kind: 'defined', program: 'bin/market.mjs', genesis, faucetEnabled: false, genesisAccounts: [] },
    });
  });

  test('what is written is read back as it was chosen', () => {
    const name = fc.stringMatching(new RegExp(`^[a-z]([a-z0-9-]{0,${MAX_ROLLUP_NAME - 2}}[a-z0-9])?$`));
    const address = fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
    const account = fc.record({ address, balance: fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }) });
    const any = fc.record({
      name,
      genesisAccounts: fc.uniqueArray(account, { minLength: 1, maxLength: 5, selector: (each) => each.address }),
      sequencerHeight: fc.bigInt({ min: 2n, max: (1n << 32n) - 1n }),
      networkId: fc.bigInt({ min: 1n, max: (1n << 64n) - 1n }),
      useTTY: fc.boolean(),
      feeAsset: fc.constantFrom('nria', 'transfer/channel-0/utia'),
      faucetAmount: fc.constantFrom('0.5', '1'),
    });
    fc.assert(
      fc.property(any, (values) => {
        expect(readManifest(manifestText(values)).manifest).toMatchObject(values);
      }),
    );
  });

  test('an edit keeps comments and order, and adds sections that are missing', () => {
    const text = `# mine\n${minimal.replace('name: cosmic', 'name: cosmic # the name\n    # for wallets\n    networkId: 5 # five')}`;
    const { text: edited } = editManifest(text, 'config.rollup.networkId', '77');
    expect(edited).toBe(text.replace('networkId: 5 ', "networkId: '77' "));
    const added = editManifest(edited, 'faucet.enabled', 'false');
    expect(added.text).toBe(`${edited}faucet:\n  enabled: false\n`);
    expect(added.manifest.faucetEnabled).toBe(false);
  });

  test('an edit takes accounts as the flag does', () => {
    const { manifest } = editManifest(
      minimal,
      'config.rollup.genesisAccounts',
      `${CHECKSUMMED},${'0x'.padEnd(42, '1')}:7`,
    );
    expect(manifest.genesisAccounts).toEqual([
      { address: ADDRESS, balance: 10n ** 18n },
      { address: '0x'.padEnd(42, '1'), balance: 7n },
    ]);
  });

  test.each([
    ['config.rollup.networkID', '5', 'no such key "config.rollup.networkID"; did you mean "config.rollup.networkId"?'],
    ['config.rollup', '5', 'no such key "config.rollup"'],
    ['config.rollup.name', 'A', 'config.rollup.name: expected'],
    ['config.rollup.genesisAccounts', `${ADDRESS}:1,0x12`, 'config.rollup.genesisAccounts[1].address: expected'],
    ['config.rollup.genesisAccounts', `${ADDRESS}:1:2`, 'config.rollup.genesisAccounts[0].balance: expected'],
    [
      'config.sequencer.addressPrefix',
      'other',
      'config.rollup.bridgeAddress: expected an address with the prefix other',
    ],
  ])('an edit of %s to %s is refused', (path, value, message) => {
    const bridged = minimal.replace(
      'name: cosmic',
      'name: cosmic\n    bridgeAddress: astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm',
    );
    expect(() => editManifest(bridged, path, value)).toThrow(message);
  });

  test('withdrawals are paid where the first block has the contract and names a bridge account', () => {
    const text = (name: string, extra = '') => minimal.replace('name: cosmic', `name: ${name}${extra}`);
    const bridge = '\n    bridgeAddress: astria1rsxyjrcm255ds9euthjx6yc3vrjt9sxrm9cfgm\n    bridgeWithdrawer: true';
    const paid = (item: string) => editManifest(item, 'withdrawer.enabled', 'true').manifest;
    expect(paid(text('cosmic', bridge))).toMatchObject({ withdrawerEnabled: true, withdrawerCommitment: 'firm' });
    expect(() => paid(text('cosmic'))).toThrow(
      'config.rollup.bridgeAddress: expected an address in bech32m form, since withdrawer.enabled is true, got nothing\nconfig.rollup.bridgeWithdrawer: expected true, since withdrawer.enabled is true, got false',
    );
    expect(() => paid(text('z'.repeat(42), bridge))).toThrow('config.rollup.name: expected at most 41 characters');
  });
});

describe('the kind of a rollup', () => {
  const account = (place: number) => ({ bech32m: formatAddress(accountIdFromBytes(new Uint8Array(20).fill(place))) });
  const lines = (rollup: string, more = '') =>
    mistakesIn(`config:\n  rollup: ${rollup}\n  sequencer: { initialBlockHeight: '42' }\n${more}`);
  const defined = (members: string) => `{ name: market, kind: defined, ${members} }`;
  const withdrawals = (...assets: readonly string[]) =>
    JSON.stringify({
      bridge_accounts: assets.map((_, place) => account(place)),
      withdrawals: assets.map((asset, place) => ({ bridge_account: account(place), asset })),
    });

  test('one of an author needs nothing but a name', () => {
    expect(lines('{ name: market, kind: defined }')).toEqual([]);
    expect(lines(defined(`genesis: '${withdrawals('nria')}'`), 'withdrawer: { enabled: true }\n')).toEqual([]);
  });

  test.each([
    [
      'an id for wallets',
      defined('networkId: 5'),
      /^config\.rollup\.networkId: expected nothing, since config\.rollup\.kind is defined, got a value$/,
    ],
    ['accounts of an EVM', defined('genesisAccounts: []'), /^config\.rollup\.genesisAccounts: expected nothing, since/],
    [
      'a genesis for an EVM',
      `{ name: cosmic, genesisAccounts: [{ address: '${ADDRESS}' }], genesis: '{}' }`,
      /^config\.rollup\.genesis: expected nothing, since config\.rollup\.kind is evm, got a value$/,
    ],
    [
      'another kind',
      '{ name: market, kind: wasm }',
      /^config\.rollup\.kind: expected one of evm, defined, got "wasm"$/,
    ],
    [
      'a genesis of brackets',
      defined(`genesis: '${`{"a":${'['.repeat(25_000)}${']'.repeat(25_000)}}`}'`),
      /^config\.rollup\.genesis: expected a JSON object/,
    ],
    ['a genesis that is no JSON', defined("genesis: '{start: 1}'"), /^config\.rollup\.genesis: expected a JSON object/],
    [
      'a name that the manifest states',
      defined('genesis: \'{"rollup_name": "market"}\''),
      /^config\.rollup\.genesis: expected no rollup_name, which config\.rollup\.chainId states, got one$/,
    ],
    [
      'an account that is none',
      defined('genesis: \'{"bridge_accounts": [{"bech32m": "bob"}]}\''),
      /^config\.rollup\.genesis\.bridge_accounts\[0\]\.bech32m: expected a bech32m address of 20 bytes/,
    ],
  ])('refuses %s', (_, rollup, message) => {
    expect(lines(rollup)).toEqual([expect.stringMatching(message)]);
  });

  test.each([
    ['none', []],
    ['five', ['a', 'b', 'c', 'd', 'e']],
  ])('refuses a withdrawer with withdrawals of %s bridge accounts', (_, assets) => {
    expect(lines(defined(`genesis: '${withdrawals(...assets)}'`), 'withdrawer: { enabled: true }\n')).toEqual([
      `config.rollup.genesis: expected withdrawals of 1 to 4 bridge accounts, since withdrawer.enabled is true, got ${assets.length}`,
    ]);
  });

  test('it has a faucet where that is asked for, with an action and an asset, which no EVM rollup has', () => {
    const faucet = 'faucet: { enabled: true, asset: gold, action: give }\n';
    const { manifest } = readManifest(
      `config: { rollup: { name: market, kind: defined }, sequencer: { initialBlockHeight: '42' } }\n${faucet}`,
    );
    expect(manifest).toMatchObject({ faucetEnabled: true, faucetAsset: 'gold', faucetAction: 'give' });
    const evm = `{ name: cosmic, genesisAccounts: [{ address: '${ADDRESS}' }] }`;
    expect(lines(evm, 'faucet: { asset: gold }\n')).toEqual([
      'faucet.asset: expected nothing, since config.rollup.kind is evm, got a value',
    ]);
    expect(lines('{ name: market, kind: defined }', 'faucet: { action: 1st }\n')).toEqual([
      'faucet.action: expected the name of an action, got "1st"',
    ]);
  });
});

describe('the schema', () => {
  const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(manifestSchema());

  test('the copy in the repository is what the table gives', () => {
    const copy = readFileSync(join(import.meta.dirname, '../../rollup-manifest.schema.json'), 'utf8');
    expect(JSON.parse(copy)).toEqual(manifestSchema());
  });

  test.each(FIELDS.map(([, field]) => [field.path, field] as const))(
    '%s: example and default fit rule and schema',
    (path, field) => {
      for (const text of [field.rule.example, field.fallback].filter((each) => each !== undefined)) {
        const value = field.rule.written(readFieldText(field, text, path));
        expect(new Ajv({ strict: true, allowUnionTypes: true }).validate(field.rule.schema, value)).toBe(true);
      }
    },
  );

  const base = {
    config: {
      rollup: { name: 'cosmic', genesisAccounts: [{ address: ADDRESS }] },
      sequencer: { initialBlockHeight: '42' },
    },
  };

  test('takes what the reader takes', () => {
    expect([validate(base), validate.errors]).toEqual([true, null]);
    const defined = { name: 'market', kind: 'defined', genesis: '{"start": 100}', image: 'market:1' };
    expect([validate({ config: { ...base.config, rollup: defined } }), validate.errors]).toEqual([true, null]);
  });

  test.each([
    ['an unknown key', { ...base, extra: 1 }],
    ['a missing section', {}],
    ['a rollup of an EVM without accounts', { config: { ...base.config, rollup: { name: 'cosmic', kind: 'evm' } } }],
    ['a bad name', { config: { ...base.config, rollup: { ...base.config.rollup, name: 'A' } } }],
    ['a level that does not exist', { ...base, global: { logLevel: 'loud' } }],
  ])('refuses %s', (_, value) => {
    expect(validate(value)).toBe(false);
  });
});

test('public networks are known by their chain id', () => {
  expect([publicChain(1n), publicChain(137n), publicChain(1337n)]).toEqual(['Ethereum', 'Polygon', undefined]);
});

test('every path of the manifest is there once', () => {
  const paths = Object.values(manifestFields).map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
});
