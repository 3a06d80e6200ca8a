import { bytesOf, wordOf } from '../hex.ts';
import { executeSystemCall } from '../interpreter/execute.ts';
import { includes } from '../interpreter/fork.ts';
import { runInTurns } from '../interpreter/turns.ts';
import { keccakHex } from '../keccak.ts';
import { EMPTY_CODE_HASH } from '../state/account.ts';
import type { StateWriter } from '../state/state.ts';
import { HISTORY_ADDRESS, HISTORY_CODE, REQUEST_CONTRACTS } from '../system-contracts.ts';
import type { Address } from '../types.ts';
import { storeBeaconRoot } from './beacon-roots.ts';
import { type BlockContext, machineOn } from './environment.ts';

/** A block of Prague on a chain that lacks a contract which every such block calls. */
export class MissingSystemContract extends Error {
  override readonly name = 'MissingSystemContract';
}

export function missingContract(block: bigint, found: string): string {
  return `block ${block} has the rules of Prague and needs the contracts of EIP-7002 and EIP-7251, but: ${found}; plan config.pragueTime for later in all genesis files, deploy the contracts and restart`;
}

const HISTORY_LENGTH = 8_191n;
const HISTORY_CODE_HASH = keccakHex(bytesOf(HISTORY_CODE));

/** What a block does before its first transaction (EIP-4788, EIP-2935). */
export async function beforeTransactions(context: BlockContext): Promise<void> {
  await storeBeaconRoot(context);
  if (includes(context.block.fork, 'prague')) await storeParentHash(context);
}

/** The well-known code does no more than write one word, which needs no interpreter. Without code nothing happens. */
async function storeParentHash(context: BlockContext): Promise<void> {
  const { state, block, direct } = context;
  const codeHash = state.account(HISTORY_ADDRESS)?.codeHash ?? EMPTY_CODE_HASH;
  if (codeHash === EMPTY_CODE_HASH) return;
  if (!direct || codeHash !== HISTORY_CODE_HASH) {
    await systemCall(context, HISTORY_ADDRESS, bytesOf(block.parentHash));
    return;
  }
  state.putStorage(HISTORY_ADDRESS, wordOf((block.number - 1n) % HISTORY_LENGTH), BigInt(block.parentHash));
}

/**
 * What a block asks of a beacon chain (EIP-7685), after its last transaction and its withdrawals: the answers of the two
 * contracts that collect such requests, each with its type before it. No beacon chain is there to read them; the header
 * commits to them as on any chain.
 *
 * @returns undefined before Prague.
 * @throws {MissingSystemContract} where go-ethereum has no valid block either.
 */
export async function requestsOf(context: BlockContext): Promise<readonly Uint8Array[] | undefined> {
  const { state, block, direct } = context;
  if (!includes(block.fork, 'prague')) return undefined;
  const requests: Uint8Array[] = [];
  for (const contract of CONTRACTS) {
    const { type, address } = contract;
    const codeHash = state.account(address)?.codeHash ?? EMPTY_CODE_HASH;
    if (codeHash === EMPTY_CODE_HASH)
      throw new MissingSystemContract(missingContract(block.number, `no code at ${address}`));
    if (direct && codeHash === contract.codeHash && isIdle(state, address)) settleFee(state, contract);
    else {
      const answer = await systemCall(context, address, new Uint8Array());
      if (answer === undefined)
        throw new MissingSystemContract(`the contract ${address} failed in block ${block.number}`);
      if (answer.length > 0) requests.push(Buffer.concat([Uint8Array.of(type), answer]));
    }
  }
  return requests;
}

const CONTRACTS = REQUEST_CONTRACTS.map(({ type, address, code, target }) => ({
  type,
  address,
  target,
  codeHash: keccakHex(bytesOf(code)),
}));

/* Slots of both contracts (EIP-7002, EIP-7251). */
const EXCESS = wordOf(0n);
const COUNT = wordOf(1n);
const HEAD = wordOf(2n);
const TAIL = wordOf(3n);
/** In `EXCESS` from the deployment to the first call: nothing is taken before the fork. */
const INHIBITOR = (1n << 256n) - 1n;

/** Whether no request waits, so that the well-known code returns nothing and only settles its fee. */
function isIdle(state: StateWriter, address: Address): boolean {
  return state.storage(address, HEAD) === 0n && state.storage(address, TAIL) === 0n;
}

function settleFee(state: StateWriter, { address, target }: (typeof CONTRACTS)[number]): void {
  const written = state.storage(address, EXCESS);
  const count = state.storage(address, COUNT);
  const sum = (written === INHIBITOR ? 0n : written) + count;
  const excess = sum > target ? sum - target : 0n;
  if (excess !== written) state.putStorage(address, EXCESS, excess);
  if (count !== 0n) state.putStorage(address, COUNT, 0n);
}

/** @returns what the contract returned; undefined where it failed. */
export async function systemCall(
  context: BlockContext,
  to: Address,
  data: Uint8Array,
): Promise<Uint8Array | undefined> {
  const { failure, output } = await runInTurns(executeSystemCall(machineOn(context), { to, data }), context);
  return failure === undefined ? output : undefined;
}
