import { type EVM, EVMError } from '@ethereumjs/evm';
import { numberOf } from '../hex.ts';
import { encodeNumber } from '../state/account.ts';
import { internalsOf } from './internals.ts';

/*
 * SLOAD and SSTORE for Cancun. The library makes keys and values by way of arrays, several times for each, and reads the
 * account again after each write, which changes nothing of it here.
 */

type Address = { readonly bytes: Uint8Array };

interface Frame {
  readonly stack: { pop(): bigint; push(value: bigint): void; peek(count: number): bigint[] };
  readonly stateManager: {
    getStorage(address: Address, key: Uint8Array): Promise<Uint8Array>;
    putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void>;
    readonly originalStorageCache: { get(address: Address, key: Uint8Array): Promise<Uint8Array> };
  };
  readonly interpreter: {
    readonly _env: { readonly address: Address };
    readonly journal: {
      isWarmedStorage(address: Uint8Array, slot: Uint8Array): boolean;
      addWarmedStorage(address: Uint8Array, slot: Uint8Array): void;
    };
    isStatic(): boolean;
    getGasLeft(): bigint;
    refundGas(gas: bigint): void;
    subRefund(gas: bigint): void;
  };
}

const SLOAD = 0x54;
const SSTORE = 0x55;

/** @param evm With Cancun's rules and a `PatchedJournal`. */
export function makeSlotsLight(evm: EVM): void {
  const { _opcodeMap: operations } = internalsOf(evm);
  const costs = costsOf(evm);
  const handlers = [
    [SLOAD, load, (frame: Frame, gas: bigint) => gas + accessCost(frame, wordBytes(top(frame)), costs, costs.warm)],
    [SSTORE, store, (frame: Frame, gas: bigint) => storeGas(frame, gas, costs)],
  ] as const;
  for (const [code, opHandler, gasHandler] of handlers) {
    const found = operations[code];
    if (found === undefined) throw new Error(`the EVM library has no opcode ${code}: another version is installed`);
    operations[code] = Object.assign({ ...found }, { opHandler, gasHandler });
  }
}

type Costs = ReturnType<typeof costsOf>;

/** EIP-2200, EIP-2929, EIP-3529. */
function costsOf({ common }: EVM) {
  return {
    sentry: common.param('sstoreSentryEIP2200Gas'),
    noop: common.param('sstoreNoopEIP2200Gas'),
    set: common.param('sstoreInitEIP2200Gas'),
    change: common.param('sstoreCleanEIP2200Gas'),
    again: common.param('sstoreDirtyEIP2200Gas'),
    refundForClearing: common.param('sstoreClearRefundEIP2200Gas'),
    refundForUnsetting: common.param('sstoreInitRefundEIP2200Gas'),
    refundForRestoring: common.param('sstoreCleanRefundEIP2200Gas'),
    reset: common.param('sstoreResetGas'),
    cold: common.param('coldsloadGas'),
    warm: common.param('warmstoragereadGas'),
  };
}

async function load({ stack, stateManager, interpreter }: Frame): Promise<void> {
  const value = await stateManager.getStorage(interpreter._env.address, wordBytes(stack.pop()));
  stack.push(numberOf(value));
}

async function store({ stack, stateManager, interpreter }: Frame): Promise<void> {
  const key = wordBytes(stack.pop());
  await stateManager.putStorage(interpreter._env.address, key, encodeNumber(stack.pop()));
}

async function storeGas(frame: Frame, gas: bigint, costs: Costs): Promise<bigint> {
  const { stack, stateManager, interpreter } = frame;
  if (interpreter.isStatic()) throw new EVMError(EVMError.errorMessages.STATIC_STATE_CHANGE);
  const [slot = 0n, value = 0n] = stack.peek(2);
  const key = wordBytes(slot);
  const { address } = interpreter._env;
  const current = numberOf(await stateManager.getStorage(address, key));
  const original = numberOf(await stateManager.originalStorageCache.get(address, key));
  if (interpreter.getGasLeft() <= costs.sentry) throw new EVMError(EVMError.errorMessages.OUT_OF_GAS);
  const isWarm = interpreter.journal.isWarmedStorage(address.bytes, key);
  const cost = changeCost(frame, { original, current, value }, isWarm, costs);
  return gas + cost + accessCost(frame, key, costs, 0n);
}

interface Change {
  /** When the transaction began. */
  readonly original: bigint;
  readonly current: bigint;
  readonly value: bigint;
}

/** What a write costs apart from the access, and what is given back for it. */
function changeCost(
  { interpreter }: Frame,
  { original, current, value }: Change,
  isWarm: boolean,
  costs: Costs,
): bigint {
  if (current === value) return isWarm ? costs.warm : costs.noop;
  if (original === current) {
    if (original === 0n) return costs.set;
    if (value === 0n) interpreter.refundGas(costs.refundForClearing);
    return costs.change;
  }
  if (original !== 0n) {
    if (current === 0n) interpreter.subRefund(costs.refundForClearing);
    else if (value === 0n) interpreter.refundGas(costs.refundForClearing);
  }
  if (original === value) {
    const [cold, warm] =
      original === 0n
        ? [costs.refundForUnsetting, costs.set - costs.warm]
        : [costs.refundForRestoring, costs.reset - costs.cold - costs.warm];
    interpreter.refundGas(isWarm ? warm : cold);
  }
  return costs.again;
}

/** Makes the slot warm. */
function accessCost({ interpreter }: Frame, key: Uint8Array, { cold }: Costs, warm: bigint): bigint {
  const { _env: env, journal } = interpreter;
  if (journal.isWarmedStorage(env.address.bytes, key)) return warm;
  journal.addWarmedStorage(env.address.bytes, key);
  return cold;
}

function top({ stack }: Frame): bigint {
  return stack.peek(1)[0] ?? 0n;
}

/** 32 bytes, big-endian. */
function wordBytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  for (let at = 24, rest = value; rest > 0n; at -= 8, rest >>= 64n) view.setBigUint64(at, BigInt.asUintN(64, rest));
  return bytes;
}
