import type { Address, Data, Hash } from '@switchyard/evm-machine/types';
import { toWord } from '@switchyard/protocol/ethereum';
import { JsonRpcError } from '@switchyard/service';
import { hexData, hexQuantity, Input, list, object, type Read } from '@switchyard/service/input';
import { decodeText, encodeText, toSelector, toTopic } from './abi.ts';
import { toUnit, WITHDRAWER_ADDRESS } from './predeploy.ts';

/** Coins that were given up on the rollup, to be paid on the sequencer. */
export interface WithdrawalEvent {
  readonly blockNumber: bigint;
  readonly blockHash: Hash;
  readonly transactionHash: Hash;
  /** Position among all logs of its block. */
  readonly logIndex: bigint;
  /** `0x<transaction hash>.0x<32-byte log index>`, by which the sequencer pays each once. */
  readonly eventId: string;
  readonly sender: Address;
  /** Wei. */
  readonly amount: bigint;
  /** Text that the contract was given: ours accepts addresses of its bridge's chain only, other contracts any text. */
  readonly destination: string;
}

/** Values of the contract that do not change. */
export interface BridgeContract {
  readonly precision: number;
  /** Wei of the asset's smallest unit: an event's amount divided by it is the amount on the sequencer. */
  readonly divisor: bigint;
  /** Bech32m. */
  readonly bridgeAddress: string;
  readonly asset: string;
}

/** The part of an `EvmClient` that is needed. */
interface Caller {
  call(method: string, ...params: readonly unknown[]): Promise<unknown>;
}

export interface WithdrawalsQuery {
  readonly client: Caller;
  /** First and last block, both included. */
  readonly from: bigint;
  readonly to: bigint;
  readonly contract?: Address;
}

const EVENT = toTopic('SequencerWithdrawal(address,uint256,string)');
/** Nodes refuse ranges beyond a bound of theirs, often of thousands of blocks. */
const BLOCKS_PER_QUERY = 1_000n;
/** More than any address takes. */
const MAX_DESTINATION = 1_024;

/**
 * Withdrawals of the blocks `from` to `to` in their order, by `eth_getLogs`.
 *
 * @throws {InvalidData} if the answer is malformed, or has logs that were not requested.
 * @throws {JsonRpcError} if the node refuses one block alone.
 */
export async function readWithdrawals(query: WithdrawalsQuery): Promise<readonly WithdrawalEvent[]> {
  const { from, to } = query;
  const found: WithdrawalEvent[] = [];
  for (let first = from; first <= to; first += BLOCKS_PER_QUERY) {
    const last = first + BLOCKS_PER_QUERY - 1n;
    for (const each of await withdrawalsBetween(query, first, last < to ? last : to)) found.push(each);
  }
  return found;
}

/** Halves a range that has more logs than the node answers with. */
async function withdrawalsBetween(
  query: WithdrawalsQuery,
  from: bigint,
  to: bigint,
): Promise<readonly WithdrawalEvent[]> {
  const { client, contract = WITHDRAWER_ADDRESS } = query;
  try {
    const [fromBlock, toBlock] = [hex(from), hex(to)];
    const answer = await client.call('eth_getLogs', { address: contract, topics: [EVENT], fromBlock, toBlock });
    return getWithdrawals(new Input(answer, 'eth_getLogs'), { from, to, contract });
  } catch (error) {
    if (!(error instanceof JsonRpcError) || from === to) throw error;
    const middle = (from + to) / 2n;
    const before = await withdrawalsBetween(query, from, middle);
    return [...before, ...(await withdrawalsBetween(query, middle + 1n, to))];
  }
}

/**
 * Withdrawals in the answer to `eth_getLogs`.
 *
 * @throws {InvalidData} for a log of another contract, event or block, a removed one, or one out of order.
 */
export function getWithdrawals(logs: Input, { from, to, contract }: Required<Omit<WithdrawalsQuery, 'client'>>) {
  const read: Read<WithdrawalEvent> = (input) => {
    const { address, topics, data, ...log } = fields(input);
    if (address !== contract.toLowerCase()) input.at('address').fail(`the contract ${contract}`);
    if (input.at('removed').value === true) input.at('removed').fail('a log that is in the chain');
    const [event, sender, amount] = topics;
    if (topics.length !== 3 || event !== EVENT || sender === undefined || amount === undefined)
      return input.at('topics').fail('those of SequencerWithdrawal');
    if (log.blockNumber < from || log.blockNumber > to) input.at('blockNumber').fail(`a block from ${from} to ${to}`);
    return {
      ...log,
      eventId: `${log.transactionHash}.${toWord(log.logIndex)}`,
      // A prefix of 12 bytes is left out of the word.
      sender: `0x${sender.slice(26)}`,
      amount: BigInt(amount),
      destination: decodeText(data, MAX_DESTINATION) ?? input.at('data').fail('a text as Solidity encodes it'),
    };
  };
  const found = list(read)(logs);
  const isAfter = (one: WithdrawalEvent, other: WithdrawalEvent) =>
    one.blockNumber === other.blockNumber ? one.logIndex > other.logIndex : one.blockNumber > other.blockNumber;
  found.forEach((each, index) => {
    const before = found[index - 1];
    if (before !== undefined && !isAfter(each, before)) logs.fail('logs in the order of the chain, each once');
  });
  return found;
}

const word = hexData(32);

const fields = object({
  ...{ address: hexData(20), topics: list(word, 4), data: hexData() },
  ...{ blockNumber: hexQuantity, blockHash: word, transactionHash: word, logIndex: hexQuantity },
});

/**
 * Constants of the contract.
 *
 * @returns undefined if no contract is at the address.
 * @throws {InvalidData} if another one answers.
 * @throws {JsonRpcError} if it refuses a call.
 */
export async function readBridgeContract(client: Caller, contract: Address = WITHDRAWER_ADDRESS) {
  const view = async (name: string) => {
    const data = toSelector(`${name}()`);
    return new Input(await client.call('eth_call', { to: contract, data }, 'latest'), `${name} of ${contract}`);
  };
  const code = await client.call('eth_getCode', contract, 'latest');
  if (code === '0x') return undefined;
  const [number, bridgeAddress, asset] = await Promise.all([
    view('BASE_CHAIN_ASSET_PRECISION'),
    view('BASE_CHAIN_BRIDGE_ADDRESS').then(solidityText),
    view('BASE_CHAIN_ASSET_DENOMINATION').then(solidityText),
  ]);
  const precision = BigInt(word(number));
  if (precision > 18n) number.fail('a number from 0 to 18');
  return { precision: Number(precision), divisor: toUnit(Number(precision)), bridgeAddress, asset };
}

const solidityText: Read<string> = (input) =>
  decodeText(hexData()(input), MAX_DESTINATION) ?? input.fail('a text as Solidity encodes it');

/** Input of a call that withdraws the wei sent with it. */
export function withdrawalCall(destination: string): Data {
  return `${toSelector('withdrawToSequencer(string)')}${encodeText(destination)}`;
}

const hex = (value: bigint) => `0x${value.toString(16)}`;
