import { EMPTY_CODE_HASH } from '@switchyard/evm-machine/account';
import { executeSystemCall } from '@switchyard/evm-machine/execute';
import { includes } from '@switchyard/evm-machine/fork';
import type { StateWriter } from '@switchyard/evm-machine/state';
import type { Address, Hash, Header } from '@switchyard/evm-machine/types';
import { hexToBytes, keccakHex, toWord } from '@switchyard/protocol/ethereum';
import { HISTORY_ADDRESS, HISTORY_CODE, REQUEST_CONTRACTS } from '../rules/system-contracts.ts';
import { storeBeaconRoot } from './beacon-roots.ts';
import type { CallContext } from './environment.ts';
import { putSlot } from './put-slot.ts';

/** A block on a chain that lacks a contract which every block of its fork calls. */
export class MissingSystemContract extends Error {
  override readonly name = 'MissingSystemContract';

  constructor(
    block: bigint,
    readonly found: string,
    options?: ErrorOptions,
  ) {
    super(
      `block ${block} needs the contracts of EIP-7002 and EIP-7251, from Amsterdam on also those of EIP-8282, but: ${found}; plan its fork for later in all genesis files, deploy the contracts and restart`,
      options,
    );
  }
}

const HISTORY_LENGTH = 8_191n;
const HISTORY_CODE_HASH = keccakHex(hexToBytes(HISTORY_CODE));

/** Makes the protocol's calls before the first transaction of a block (EIP-4788, EIP-2935). */
export function beforeTransactions(
  context: CallContext,
  { parentBeaconBlockRoot: root, parentHash }: Pick<Header, 'parentBeaconBlockRoot' | 'parentHash'>,
): void {
  if (includes(context.fork, 'cancun') && root !== undefined) storeBeaconRoot(context, root);
  if (includes(context.fork, 'prague')) storeParentHash(context, parentHash);
}

/** The well-known code does no more than write one word, which needs no interpreter. Without code nothing happens. */
function storeParentHash(context: CallContext, parentHash: Hash): void {
  const { state, block, recorder, direct = false } = context;
  const codeHash = state.account(HISTORY_ADDRESS)?.codeHash ?? EMPTY_CODE_HASH;
  recorder?.accessed(HISTORY_ADDRESS);
  if (codeHash === EMPTY_CODE_HASH) return;
  if (!direct || codeHash !== HISTORY_CODE_HASH) {
    systemCall(context, HISTORY_ADDRESS, hexToBytes(parentHash));
    return;
  }
  putSlot(context, HISTORY_ADDRESS, toWord((block.number - 1n) % HISTORY_LENGTH), BigInt(parentHash));
}

/**
 * Requests of a block to a beacon chain (EIP-7685), after its last transaction and withdrawals: the answers of the
 * contracts that collect such requests, each with its type before it. Rollups have no beacon chain to read them; the
 * header commits to them as on any chain.
 *
 * @returns undefined before Prague.
 * @throws {MissingSystemContract} if go-ethereum has no valid block either.
 */
export function findRequests(context: CallContext): readonly Uint8Array[] | undefined {
  const { state, block, fork, direct = false } = context;
  if (!includes(fork, 'prague')) return undefined;
  const requests: Uint8Array[] = [];
  for (const contract of CONTRACTS) {
    const { since, type, address } = contract;
    if (!includes(fork, since)) continue;
    const codeHash = state.account(address)?.codeHash ?? EMPTY_CODE_HASH;
    if (codeHash === EMPTY_CODE_HASH) throw new MissingSystemContract(block.number, `no code at ${address}`);
    if (direct && codeHash === contract.codeHash && isIdle(state, address)) settleFee(context, contract);
    else {
      const answer = systemCall(context, address, new Uint8Array());
      if (answer === undefined) throw new MissingSystemContract(block.number, `the contract ${address} failed`);
      if (answer.length > 0) requests.push(Buffer.concat([Uint8Array.of(type), answer]));
    }
  }
  return requests;
}

const CONTRACTS = REQUEST_CONTRACTS.map(({ since, type, address, code, target }) => ({
  since,
  type,
  address,
  target,
  codeHash: keccakHex(hexToBytes(code)),
}));

/* Slots of each of these contracts (EIP-7002, EIP-7251, EIP-8282). */
const EXCESS = toWord(0n);
const COUNT = toWord(1n);
const HEAD = toWord(2n);
const TAIL = toWord(3n);
/** In `EXCESS` from the deployment to the first call: nothing is taken before the fork. */
const INHIBITOR = (1n << 256n) - 1n;

/** Whether no request waits, so that the well-known code returns nothing and only settles its fee. */
function isIdle(state: StateWriter, address: Address): boolean {
  return state.storage(address, HEAD) === 0n && state.storage(address, TAIL) === 0n;
}

function settleFee({ state, recorder }: CallContext, { address, target }: (typeof CONTRACTS)[number]): void {
  const written = state.storage(address, EXCESS);
  const count = state.storage(address, COUNT);
  const sum = (written === INHIBITOR ? 0n : written) + count;
  const excess = sum > target ? sum - target : 0n;
  if (excess !== written) state.putStorage(address, EXCESS, excess);
  if (count !== 0n) state.putStorage(address, COUNT, 0n);
  if (recorder === undefined) return;
  recorder.slot(address, EXCESS, written, excess);
  recorder.slot(address, COUNT, count, 0n);
  for (const key of [HEAD, TAIL]) recorder.slot(address, key, 0n, 0n);
}

/** @returns the output of the contract; undefined if it failed. */
export function systemCall(context: CallContext, to: Address, data: Uint8Array): Uint8Array | undefined {
  const { failure, output } = executeSystemCall(context, { to, data }).run();
  return failure === undefined ? output : undefined;
}
