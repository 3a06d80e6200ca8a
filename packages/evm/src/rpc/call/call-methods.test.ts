import { code, deploying } from '@switchyard/evm-machine/testing';
import type { Address } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import { rpcContext } from '@switchyard/service/testing';
import { beforeAll, expect, test } from 'vitest';
import { WITHDRAWALS_ADDRESS } from '../../rules/system-contracts.ts';
import { TakesLong } from '../../simulate/time-budget.ts';
import { ATTACKS } from '../../testing/attacks.ts';
import { getMarks } from '../marks.ts';
import { callMethods } from './call-methods.ts';
import { type CallChain, callChain } from './testing.ts';

/** Returns its caller, its payment, the gas price and the base fee. */
const ENVIRONMENT = code(
  { raw: '0x33600052' },
  { raw: '0x34602052' },
  { raw: '0x3a604052' },
  { raw: '0x48606052' },
  128,
  0,
  'return',
);
/** Keeps its first word in slot 1; returns its old value. */
const KEEPS = code(1, 'sload', 0, 'mstore', 0, 'calldataload', 1, 'sstore', 32, 0, 'return');
/** `Error(string)` with "no". */
const REVERTS = code(
  { raw: `0x7f08c379a0${'00'.repeat(28)}` },
  0,
  'mstore',
  32,
  4,
  'mstore',
  2,
  36,
  'mstore',
  { raw: `0x7f6e6f${'00'.repeat(30)}` },
  68,
  'mstore',
  100,
  0,
  'revert',
);
const FOREVER = code('jumpdest', 0, 'jump');
/** A call whose gas lasts for seconds. */
const SLOW_AT: Address = `0x${'51'.repeat(20)}`;
const SLOW = { [SLOW_AT]: { code: ATTACKS.find(({ name }) => name === 'MULMOD')?.code } };
const askSlow = () => ask('eth_call', { to: SLOW_AT }, 'latest', SLOW);

let chain: CallChain;
const contracts = new Map<string, Address>();
const at = (name: string): Address => contracts.get(name) ?? '0x';
let methods: ReturnType<typeof callMethods>;
const ask = (name: string, ...params: readonly unknown[]) => chain.ask(methods, name, ...params);

beforeAll(async () => {
  chain = await callChain({}, { timeoutMs: 200 });
  const { test: node, simulator } = chain;
  methods = callMethods({ chain: node.chain, pool: { nextNonce: () => node.account(0).nonce }, simulator });
  const parts = Object.entries({ environment: ENVIRONMENT, keeps: KEEPS, reverts: REVERTS, forever: FOREVER });
  const { receipts } = await node.sequence(
    parts.map(([, runtime]) => node.account(0).deploy(hexToBytes(deploying(runtime)))),
  );
  for (const [index, [name]] of parts.entries()) contracts.set(name, receipts[index]?.contractAddress ?? '0x');
  await node.sequence([node.account(0).call(at('keeps'), hexToBytes(toWord(5n)))]);
});

test('answers what a contract returns, on the state that was asked for', async () => {
  const call = { to: at('keeps'), input: toWord(9n) };
  expect(await ask('eth_call', call)).toBe(toWord(5n));
  expect(await ask('eth_call', call, 'latest')).toBe(toWord(5n));
  expect(await ask('eth_call', call, '0x1')).toBe(toWord(0n));
  expect(await ask('eth_call', call, 'pending')).toBe(toWord(5n));
  expect(await ask('eth_call', { ...call, data: call.input })).toBe(toWord(5n));
  expect(await ask('eth_call', { to: at('keeps'), data: call.input })).toBe(toWord(5n));
});

test('a call without fees sees none, and needs no funds for gas', async () => {
  const from = `0x${'99'.repeat(20)}`;
  const [caller, value, price, baseFee] = words(await ask('eth_call', { from, to: at('environment') }));
  expect({ caller, value, price, baseFee }).toEqual({ caller: BigInt(from), value: 0n, price: 0n, baseFee: 0n });
  const rich = {
    from: chain.test.account(1).address,
    to: at('environment'),
    value: '0x7',
    maxFeePerGas: '0x77359400',
    maxPriorityFeePerGas: '0x3',
  };
  const [, paid, tipped, fee = 0n] = words(await ask('eth_call', rich));
  expect(paid).toBe(7n);
  expect(fee).toBeGreaterThan(0n);
  expect(tipped).toBe(fee + 3n);
});

const refused = async (promise: Promise<unknown>): Promise<unknown> => {
  const {
    code: number,
    rpcMessage,
    data,
  } = Object(
    await promise.then(
      () => ({}),
      (error: unknown) => error,
    ),
  );
  return { code: number, message: rpcMessage, ...(data === undefined ? {} : { data }) };
};

test('reports why a call failed as libraries expect it', async () => {
  const data = `0x08c379a0${[toWord(32n), toWord(2n)].map((word) => word.slice(2)).join('')}6e6f${'00'.repeat(30)}`;
  expect(await refused(ask('eth_call', { to: at('reverts') }))).toEqual({
    code: 3,
    message: 'execution reverted: no',
    data,
  });
  expect(await refused(ask('eth_call', { to: at('forever'), gas: '0x7530' }))).toEqual({
    code: -32_000,
    message: 'out of gas',
  });
  expect(await refused(askSlow())).toEqual({
    code: -32_000,
    message: 'execution aborted (timeout = 0.2s)',
  });
  const poor = { from: `0x${'99'.repeat(20)}`, to: at('keeps'), value: '0x1' };
  expect(await refused(ask('eth_call', poor))).toEqual({
    code: -32_000,
    message: expect.stringMatching(
      /^err: insufficient funds for gas \* price \+ value: address 0x9{40} have 0 want 1 \(supplied gas 50000000\)$/,
    ),
  });
});

test.each([
  ['no object', [5], -32_602, 'expected an object'],
  ['a field of another type', [{ to: 5 }], -32_602, 'to: expected an address'],
  ['two kinds of fees', [{ gasPrice: '0x1', maxFeePerGas: '0x1' }], -32_602, 'both gasPrice and'],
  ['two inputs', [{ data: '0x01', input: '0x02' }], -32_000, 'both "data" and "input"'],
  ['another chain', [{ chainId: '0x7' }], -32_602, 'chainId does not match'],
  ['a block that is not there', [{}, '0xff'], -32_000, 'header not found'],
  [
    'two overrides of storage',
    [{}, 'latest', { [`0x${'11'.repeat(20)}`]: { state: {}, stateDiff: {} } }],
    -32_000,
    "both 'state' and 'stateDiff'",
  ],
])('refuses %s', async (_, params, number, message) => {
  expect(await refused(ask('eth_call', ...params))).toMatchObject({
    code: number,
    message: expect.stringContaining(message),
  });
});

test('overrides replace accounts, storage and block for one call', async () => {
  const to = at('keeps');
  const slot = { [toWord(1n)]: toWord(8n) };
  expect(await ask('eth_call', { to }, 'latest', { [to]: { stateDiff: slot } })).toBe(toWord(8n));
  expect(await ask('eth_call', { to }, 'latest', { [to]: { state: {} } })).toBe(toWord(0n));
  const numbers = code({ raw: '0x43600052' }, { raw: '0x42602052' }, { raw: '0x41604052' }, 96, 0, 'return');
  const fresh = `0x${'77'.repeat(20)}`;
  const block = { number: '0x99', time: '0x1234', feeRecipient: fresh };
  expect(words(await ask('eth_call', { to: fresh }, 'latest', { [fresh]: { code: numbers } }, block))).toEqual([
    0x99n,
    0x1234n,
    BigInt(fresh),
  ]);
  expect(await ask('eth_call', { to }, 'latest')).toBe(toWord(5n));
});

test('a precompiled contract can be moved, and what is there then is the override', async () => {
  const identity = `0x${'00'.repeat(19)}04`;
  const elsewhere = `0x${'55'.repeat(20)}`;
  const moved = { [identity]: { code: code(1, 0, 'mstore', 32, 0, 'return'), movePrecompileToAddress: elsewhere } };
  expect(await ask('eth_call', { to: elsewhere, input: '0xabcd' }, 'latest', moved)).toBe('0xabcd');
  expect(await ask('eth_call', { to: identity, input: '0xabcd' }, 'latest', moved)).toBe(toWord(1n));
  expect(await ask('eth_call', { to: identity, input: '0xabcd' })).toBe('0xabcd');
});

test('estimates what a transfer, a call and a creation need', async () => {
  const from = chain.test.account(1).address;
  expect(await ask('eth_estimateGas', { from, to: `0x${'88'.repeat(20)}`, value: '0x1' })).toBe('0x5208');
  const request = { from, to: at('keeps'), input: toWord(9n) };
  const gas = BigInt(String(await ask('eth_estimateGas', request)));
  const { block, receipts } = await chain.test.sequence([
    chain.test.account(1).call(at('keeps'), hexToBytes(toWord(9n)), { gasLimit: gas }),
  ]);
  expect(receipts[0]).toMatchObject({ status: 1 });
  expect(block.transactions).toHaveLength(1);
  expect(Number(gas - (receipts[0]?.gasUsed ?? 0n)) / Number(gas)).toBeLessThan(0.05);
  expect(BigInt(String(await ask('eth_estimateGas', { from, input: deploying('0x00') })))).toBeGreaterThan(53_000n);
});

test('reports why nothing can be estimated', async () => {
  expect(await refused(ask('eth_estimateGas', { to: at('reverts') }))).toMatchObject({
    code: 3,
    message: 'execution reverted: no',
  });
  expect(await refused(ask('eth_estimateGas', { to: at('forever'), gas: '0xc350' }))).toEqual({
    code: -32_000,
    message: 'gas required exceeds allowance (50000)',
  });
  expect(
    await refused(ask('eth_estimateGas', { from: `0x${'99'.repeat(20)}`, to: at('keeps'), value: '0x1' })),
  ).toMatchObject({
    code: -32_000,
    message: expect.stringContaining('insufficient funds for gas * price + value'),
  });
});

test('lists what a call touches, and the gas with that list', async () => {
  expect(await ask('eth_createAccessList', { to: at('keeps'), input: toWord(9n) })).toEqual({
    accessList: [{ address: at('keeps'), storageKeys: [toWord(1n)] }],
    gasUsed: expect.stringMatching(/^0x[0-9a-f]+$/),
  });
  expect(await ask('eth_createAccessList', { to: at('reverts') })).toMatchObject({
    accessList: [],
    error: 'execution reverted',
  });
});

// Defect: `eth_createAccessList` listed delegated accounts
test('accounts that a transaction delegates are warm, and are not listed', async () => {
  const authority = chain.test.account(1);
  // BALANCE of the account, STOP.
  const looks = { [at('keeps')]: { code: `0x73${authority.address.slice(2)}3100` } };
  const signed = (chainId: bigint) => {
    const { address, nonce, yParity, r, s } = authority.authorize(at('keeps'), 0n, chainId);
    const number = (item: unknown) => `0x${BigInt(String(item)).toString(16)}`;
    return [
      { address, chainId: number(chainId), nonce: number(nonce), yParity: number(yParity), r: number(r), s: number(s) },
    ];
  };
  const list = async (authorizationList: unknown) =>
    Object(await ask('eth_createAccessList', { to: at('keeps'), authorizationList }, 'latest', looks)).accessList;
  expect(await list(signed(0n))).toEqual([]);
  // One of another chain delegates nothing.
  expect(await list(signed(99n))).toEqual([{ address: authority.address, storageKeys: [] }]);
});

// Defect: An estimate ran in the latest block's time
test('an estimate without a block is enough in the next one, whose time is another', async () => {
  const { test: node } = chain;
  // If the time is not that of its last call, it is written to two slots.
  const aging = deploying('0x426001541460105742600155426002555b00');
  const { receipts } = await node.sequence([node.account(3).deploy(hexToBytes(aging))]);
  const to = receipts[0]?.contractAddress ?? '0x';
  await node.sequence([node.account(3).call(to, new Uint8Array())]);
  const request = { from: node.account(3).address, to };
  const inLatest = BigInt(String(await ask('eth_estimateGas', request, 'latest')));
  const gasLimit = BigInt(String(await ask('eth_estimateGas', request)));
  const { tx } = Object(await ask('eth_fillTransaction', request));
  const { accessList, gasUsed } = Object(await ask('eth_createAccessList', request));
  expect([BigInt(tx.gas), BigInt(gasUsed) > inLatest, accessList[0].storageKeys.length]).toEqual([gasLimit, true, 2]);
  const sent = await node.sequence([node.account(3).call(to, new Uint8Array(), { gasLimit })]);
  expect(sent.receipts).toMatchObject([{ status: 1 }]);
});

test('completes a transaction for a wallet', async () => {
  const from = chain.test.account(0).address;
  const { tx, raw } = Object(await ask('eth_fillTransaction', { from, to: at('keeps'), input: toWord(3n) }));
  expect(tx).toMatchObject({
    type: '0x2',
    nonce: '0x5',
    gasPrice: null,
    chainId: '0x539',
    to: at('keeps'),
    input: toWord(3n),
    r: '0x0',
    maxPriorityFeePerGas: '0x1',
  });
  expect(tx).not.toHaveProperty('blockHash');
  expect(raw).toMatch(/^0x02f8/);
  expect(BigInt(tx.gas)).toBeGreaterThan(21_000n);
  expect(Object(await ask('eth_fillTransaction', { from, to: from, gasPrice: '0x77359400' })).tx).toMatchObject({
    type: '0x0',
    gas: '0x5208',
    gasPrice: '0x77359400',
    chainId: '0x539',
  });
  expect(await refused(ask('eth_fillTransaction', { from }))).toMatchObject({
    message: 'contract creation without any data provided',
  });
});

function words(answer: unknown): bigint[] {
  return (String(answer).slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`));
}

// Defect: Simulation made blocks of Prague without the contracts of EIP-7002 and EIP-7251
test('simulates no block of Prague without the contracts of its requests', async () => {
  const { test: node, simulator, ask: getAsk } = await callChain({ genesis: { forks: { prague: 0 } } });
  const ofPrague = callMethods({ chain: node.chain, pool: { nextNonce: () => 0n }, simulator });
  const simulate = (stateOverrides: object) =>
    getAsk(ofPrague, 'eth_simulateV1', { blockStateCalls: [{ stateOverrides }] });
  expect(await simulate({})).toHaveLength(1);
  expect(await refused(simulate({ [WITHDRAWALS_ADDRESS]: { code: '0x' } }))).toEqual({
    code: -32_000,
    message: `no code at ${WITHDRAWALS_ADDRESS}`,
  });
});

test('simulates blocks of calls, each on top of the one before', async () => {
  const from = chain.test.account(2).address;
  const answer = await ask('eth_simulateV1', {
    blockStateCalls: [
      {
        calls: [
          { from, to: at('keeps'), input: toWord(1n) },
          { from, to: at('keeps'), input: toWord(2n), value: '0x3' },
        ],
      },
      {
        blockOverrides: { baseFeePerGas: '0x9' },
        calls: [
          { from, to: at('keeps') },
          { from, to: at('reverts') },
        ],
      },
    ],
    traceTransfers: true,
  });
  const latest = chain.test.chain.heads.latest;
  expect(answer).toMatchObject([
    {
      number: `0x${(latest + 1n).toString(16)}`,
      parentHash: chain.test.chain.findHash(latest),
      baseFeePerGas: '0x0',
      calls: [
        { status: '0x1', returnData: toWord(9n), logs: [] },
        {
          status: '0x1',
          returnData: toWord(1n),
          logs: [{ address: `0x${'ee'.repeat(20)}`, data: toWord(3n), logIndex: '0x0' }],
        },
      ],
    },
    {
      baseFeePerGas: '0x9',
      calls: [{ returnData: toWord(2n) }, { status: '0x0', error: { code: 3, message: 'execution reverted: no' } }],
    },
  ]);
  const [first, second] = Object(answer);
  expect(second.parentHash).toBe(first.hash);
  expect(first.stateRoot).not.toBe(second.stateRoot);
  expect(first.transactions).toHaveLength(2);
});

test('a simulated block has the hash that it would have', async () => {
  const { test: node } = chain;
  const header = node.chain.header(node.chain.heads.latest)?.header;
  const [simulated] = Object(
    await ask('eth_simulateV1', {
      blockStateCalls: [
        { blockOverrides: { time: `0x${((header?.timestamp ?? 0n) + 1n).toString(16)}`, prevRandao: toWord(0n) } },
      ],
      validation: true,
    }),
  );
  // Another beacon root, and so another state: nothing else differs.
  const { block } = await node.sequence([]);
  const { transactionsRoot, receiptsRoot, withdrawalsRoot, logsBloom, gasLimit, baseFeePerGas } = block.header;
  expect(simulated).toMatchObject({
    transactionsRoot,
    receiptsRoot,
    withdrawalsRoot,
    logsBloom,
    parentHash: block.header.parentHash,
    gasLimit: `0x${gasLimit.toString(16)}`,
    baseFeePerGas: `0x${baseFeePerGas?.toString(16)}`,
  });
  expect(bytesToHex(new Uint8Array())).toBe('0x');
});

test.each([
  ['blocks out of order', { blockStateCalls: [{ blockOverrides: { number: '0x1' } }] }, -38_020],
  ['times out of order', { blockStateCalls: [{ blockOverrides: { time: '0x1' } }] }, -38_021],
  ['too many blocks', { blockStateCalls: [{ blockOverrides: { number: '0xfff' } }] }, -38_026],
  ['nothing', { blockStateCalls: [] }, -32_000],
  ['a fee below the base fee', { validation: true, blockStateCalls: [{ calls: [{}] }] }, -38_012],
  [
    'a nonce ahead',
    { validation: true, blockStateCalls: [{ blockOverrides: { baseFeePerGas: '0x0' }, calls: [{ nonce: '0x9' }] }] },
    -38_011,
  ],
  ['no funds', { blockStateCalls: [{ calls: [{ from: `0x${'99'.repeat(20)}`, value: '0x9' }] }] }, -38_014],
  ['too little gas', { blockStateCalls: [{ calls: [{ gas: '0x9' }] }] }, -38_013],
  ['more gas than the block has', { blockStateCalls: [{ calls: [{ gas: '0xffffffffffff' }] }] }, -38_015],
])('refuses to simulate %s', async (_, payload, number) => {
  expect(await refused(ask('eth_simulateV1', payload))).toMatchObject({ code: number });
});

test.each([
  ['eth_call', [{ to: '', gas: '0x2faf080' }]],
  ['eth_estimateGas', [{ to: '' }]],
  ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: '' }] }] }]],
])('a long %s is left to a thread, and to nothing else', async (name, params) => {
  const { test: node, simulatorWith } = chain;
  const brief = callMethods({
    chain: node.chain,
    pool: { nextNonce: () => node.account(0).nonce },
    simulator: simulatorWith({ hereMs: 5 }),
  });
  const call = JSON.parse(JSON.stringify(params).replaceAll('"to":""', `"to":"${at('forever')}"`)) as unknown;
  const method = brief[name];
  if (method === undefined) throw new Error(`no method ${name}`);
  expect(getMarks(method).mayMove).toBe(true);
  await expect(method(call, rpcContext())).rejects.toThrow(TakesLong);
});
