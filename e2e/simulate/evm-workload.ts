import {
  type EvmClient,
  evmClient,
  readBridgeContract,
  readWithdrawals,
  WITHDRAWER_ADDRESS,
  withdrawalCall,
} from '@switchyard/evm/client';
import { signTransaction } from '@switchyard/evm/signing';
import type { DevAccount } from '@switchyard/network/accounts';
import { evmAccounts, evmFaucetAccount } from '@switchyard/network/evm-accounts';
import type { Workload } from '@switchyard/network/simulate';
import { hexToBytes } from '@switchyard/protocol/ethereum';
import { hexQuantity, Input, list, object, text } from '@switchyard/service/input';
import { evmApi } from './evm-api.ts';
import type { ExitFacts, House, Withdrawn } from './house.ts';
import { getUsers } from './users.ts';

const ROLE = 'funded on the rollup';

const PEOPLE: readonly DevAccount[] = ['alice', 'bob', 'carol'].flatMap((name, index) =>
  evmAccounts.slice(index, index + 1).map((account) => ({ name, ...account, role: ROLE })),
);

/** Account that does nothing but withdraw. */
const EXITS: DevAccount = { name: 'dave', ...(evmAccounts[3] ?? evmFaucetAccount), role: ROLE };

/** Adds one to its only slot, and logs the sum. */
const COUNTER = hexToBytes('0x6e5f54600101805f555f5260205fa0005f52600f6011f3');
/** Address of what the first account creates with its first transaction. */
const COUNTER_ADDRESS = '0x5fbdb2315678afecb367f032d93f642f64180aa3';

const GWEI = 10n ** 9n;
const MAX_FEE = 100n * GWEI;
const GAS = { transfer: 21_000n, call: 60_000n, create: 200_000n, withdraw: 300_000n } as const;

const HOUSE: House = {
  ...{ faucet: 'evm-faucet', claimants: PEOPLE, grant: 10n ** 18n, findHash: evmApi.findHash },
  exit: { account: EXITS, transaction: exit },
  paidByFaucet: (access) => paidByFaucet(evmClient(access)),
  withdrawn: (access) => withdrawn(evmClient(access)),
};

/** Transfers, calls of a contract that counts them, and deposits, among accounts that have everything from genesis. */
export const evmWorkload: Workload = {
  ...{ senders: PEOPLE, depositor: PEOPLE[2], api: evmApi, activity: getUsers(HOUSE) },

  transaction({ account, nonce, chainId, chance }) {
    const common = {
      ...{ chainId: BigInt(chainId), nonce: BigInt(nonce), maxFeePerGas: MAX_FEE },
      maxPriorityFeePerGas: BigInt(chance.integer(0, 3)) * GWEI,
    };
    const key = `0x${account.key}` as const;
    if (account.name === 'alice' && nonce === 0) {
      return signTransaction({ ...common, gasLimit: GAS.create, data: COUNTER }, key);
    }
    const value = BigInt(chance.integer(0, 1_000));
    if (chance.happens(0.5)) {
      return signTransaction({ ...common, gasLimit: GAS.call, to: COUNTER_ADDRESS, value }, key);
    }
    // An address is hex with 0x.
    const to = chance.pick(PEOPLE).address as `0x${string}`;
    return signTransaction({ ...common, gasLimit: GAS.transfer, to, value }, key);
  },

  async check(_, access) {
    const client = evmClient(access);
    const blocks = await getBlocks(client);
    return [...(await valueChecked(client, blocks)), ...noncesChecked(blocks), ...(await countChecked(client))];
  },
};

const block = object({
  ...{ number: hexQuantity, miner: text, gasUsed: hexQuantity, baseFeePerGas: hexQuantity },
  withdrawals: list(object({ amount: hexQuantity })),
  transactions: list(object({ from: text, nonce: hexQuantity, value: hexQuantity })),
});
type Block = ReturnType<typeof block>;

async function getBlocks(client: EvmClient): Promise<readonly Block[]> {
  const found: Block[] = [];
  const { number: newest } = (await client.status()).latest;
  for (let number = 0n; number <= newest; number += 1n) {
    found.push(block(new Input(await client.call('eth_getBlockByNumber', hex(number), true), 'a block')));
  }
  return found;
}

async function paidByFaucet(client: EvmClient): Promise<bigint> {
  const faucet = evmFaucetAccount.address.toLowerCase();
  const transactions = (await getBlocks(client)).flatMap((each) => each.transactions);
  return transactions.reduce((sum, { from, value }) => (from === faucet ? sum + value : sum), 0n);
}

/** Value comes from genesis and deposits alone, and only the base fee of gas is destroyed. */
async function valueChecked(client: EvmClient, blocks: readonly Block[]): Promise<readonly string[]> {
  const accounts = [...evmAccounts, evmFaucetAccount].map(({ address }) => address.toLowerCase());
  const holders = new Set([
    ...accounts,
    COUNTER_ADDRESS,
    WITHDRAWER_ADDRESS.toLowerCase(),
    ...blocks.map(({ miner }) => miner.toLowerCase()),
  ]);
  const sumAt = async (number: bigint): Promise<bigint> => {
    let sum = 0n;
    for (const holder of holders) {
      sum += hexQuantity(new Input(await client.call('eth_getBalance', holder, hex(number)), 'a balance'));
    }
    return sum;
  };
  let expected = await sumAt(0n);
  for (const { withdrawals, gasUsed, baseFeePerGas } of blocks) {
    for (const { amount } of withdrawals) expected += amount * GWEI;
    expected -= gasUsed * baseFeePerGas;
  }
  const sum = await sumAt(BigInt(blocks.length - 1));
  return sum === expected ? [] : [`value: accounts hold ${sum}, expected ${expected}`];
}

function noncesChecked(blocks: readonly Block[]): readonly string[] {
  const next = new Map<string, bigint>();
  return blocks.flatMap(({ number, transactions }) =>
    transactions.flatMap(({ from, nonce }) => {
      const expected = next.get(from) ?? 0n;
      next.set(from, nonce + 1n);
      return nonce === expected ? [] : [`nonces: block ${number} has ${nonce} of ${from}, expected ${expected}`];
    }),
  );
}

/** Each call has logged the number after that of the one before it, and the newest is in the contract's storage. */
async function countChecked(client: EvmClient): Promise<readonly string[]> {
  const range = { address: COUNTER_ADDRESS, fromBlock: '0x0', toBlock: 'latest' };
  const logs = list(object({ data: text }))(new Input(await client.call('eth_getLogs', range), 'logs'));
  const stored = BigInt(
    text(new Input(await client.call('eth_getStorageAt', COUNTER_ADDRESS, '0x0', 'latest'), 'a slot')),
  );
  const counts = logs.map(({ data }) => BigInt(data));
  if (stored === BigInt(counts.length) && counts.every((count, index) => count === BigInt(index + 1))) return [];
  return [`calls: ${counts.join(', ')} were logged, and ${stored} is stored`];
}

const hex = (number: bigint): string => `0x${number.toString(16)}`;

/** A withdrawal of an account that does nothing else. */
function exit({ account, nonce, chainId, amount, to }: ExitFacts): Uint8Array {
  const facts = { chainId: BigInt(chainId), nonce: BigInt(nonce), maxFeePerGas: MAX_FEE, maxPriorityFeePerGas: GWEI };
  const call = { to: WITHDRAWER_ADDRESS, value: amount * GWEI, data: hexToBytes(withdrawalCall(to)) };
  return signTransaction({ ...facts, ...call, gasLimit: GAS.withdraw }, `0x${account.key}`);
}

async function withdrawn(client: EvmClient): Promise<readonly Withdrawn[]> {
  const contract = await readBridgeContract(client);
  if (contract === undefined) return [];
  const { number: to } = (await client.status()).latest;
  const events = await readWithdrawals({ client, from: 1n, to });
  return events.map(({ eventId, amount }) => ({ eventId, amount: amount / contract.divisor }));
}
