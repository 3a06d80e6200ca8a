import type { Rules } from './rules.ts';
import type { Message } from './values.ts';

const TRANSACTION = 21_000;
const ZERO_BYTE = 4;
/** EIP-3860, for each 32 bytes. */
const INIT_CODE_WORD = 2;
/** EIP-2930. */
const LISTED_ADDRESS = 2_400;
const LISTED_SLOT = 1_900;
/** EIP-7702. */
const AUTHORIZATION = 25_000;
/** EIP-7623: a zero byte counts one token, another four. */
const FLOOR_TOKEN = 10;
const TOKENS_OF_BYTE = 4;

export interface IntrinsicGas {
  /** Before any code runs (Yellow Paper, 6.2). */
  readonly intrinsic: number;
  /** EIP-7623: for the data alone, whatever else happens; 0 before Prague. */
  readonly floor: number;
}

/** Gas that a transaction costs at least. */
export function intrinsicGasOf(
  { to, data, accessList, authorizations = [] }: Pick<Message, 'to' | 'data' | 'accessList' | 'authorizations'>,
  rules: Rules,
): IntrinsicGas {
  let zeros = 0;
  for (const byte of data) if (byte === 0) zeros += 1;
  const others = data.length - zeros;
  let intrinsic = TRANSACTION + ZERO_BYTE * zeros + rules.dataByte * others;
  if (to === undefined) {
    intrinsic += rules.createTransaction;
    if (rules.metersInitCode) intrinsic += INIT_CODE_WORD * Math.ceil(data.length / 32);
  }
  for (const { storageKeys } of accessList) intrinsic += LISTED_ADDRESS + LISTED_SLOT * storageKeys.length;
  intrinsic += AUTHORIZATION * authorizations.length;
  return { intrinsic, floor: rules.hasFloor ? TRANSACTION + FLOOR_TOKEN * (zeros + TOKENS_OF_BYTE * others) : 0 };
}
