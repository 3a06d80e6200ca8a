import type { Address } from '../types.ts';
import type { Rules } from './rules.ts';
import type { Message } from './values.ts';

const ZERO_BYTE = 4;
/** EIP-3860, for each 32 bytes. */
const INIT_CODE_WORD = 2;
const ADDRESS_BYTES = 20;
const SLOT_BYTES = 32;

export interface IntrinsicGas {
  /** Before any code runs (Yellow Paper, 6.2). */
  readonly intrinsic: number;
  /** EIP-7623: for the data alone, regardless of the execution; 0 before Prague. */
  readonly floor: number;
}

type Priced = Pick<Message, 'to' | 'value' | 'data' | 'accessList' | 'authorizations'> & {
  /** Undefined if it is not known yet: then the least is counted, which EIP-2780 asks of a transaction to its own sender. */
  readonly from: Address | undefined;
};

/** Gas that a transaction costs at least. */
export function computeIntrinsicGas(priced: Priced, rules: Rules): IntrinsicGas {
  const { to, data, accessList, authorizations = [] } = priced;
  const { intrinsic: price, floor } = rules;
  let zeros = 0;
  for (const byte of data) if (byte === 0) zeros += 1;
  const others = data.length - zeros;
  let slots = 0;
  for (const { storageKeys } of accessList) slots += storageKeys.length;
  const base = toBase(priced, rules);
  let intrinsic = base + ZERO_BYTE * zeros + price.dataByte * others;
  if (to === undefined && rules.metersInitCode) intrinsic += INIT_CODE_WORD * Math.ceil(data.length / 32);
  intrinsic += price.listedAddress * accessList.length + price.listedSlot * slots;
  intrinsic += price.authorization * authorizations.length;
  if (floor.otherByte === 0) return { intrinsic, floor: 0 };
  const listed = ADDRESS_BYTES * accessList.length + SLOT_BYTES * slots;
  // EIP-2780: the floor stands on the transaction's own cost, not on a fixed number.
  const ground = rules.hasStateGas ? base : price.base;
  return {
    intrinsic,
    floor: ground + floor.zeroByte * zeros + floor.otherByte * others + floor.listedByte * listed,
  };
}

function toBase({ from, to, value }: Priced, { intrinsic }: Rules): number {
  if (to === undefined) return intrinsic.base + intrinsic.creation;
  if (from === undefined || from === to) return intrinsic.base;
  return intrinsic.base + intrinsic.recipient + (value > 0n ? intrinsic.value : 0);
}
