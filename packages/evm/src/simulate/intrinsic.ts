import type { Common } from '@ethereumjs/common';
import type { EvmMessage } from './evm-message.ts';

/** Gas that a transaction costs before any code runs. */
const TRANSACTION = 21_000n;
const CREATION = 32_000n;
const ZERO_BYTE = 4n;
/** EIP-2028, and before it. */
const OTHER_BYTE = 16n;
const OTHER_BYTE_UNTIL_ISTANBUL = 68n;
/** EIP-3860, for each 32 bytes. */
const INITCODE_WORD = 2n;
/** EIP-2930. */
const LISTED_ADDRESS = 2_400n;
const LISTED_SLOT = 1_900n;
/** EIP-7702. */
const AUTHORIZATION = 25_000n;
/** EIP-7623: a zero byte counts one token, another four. */
const FLOOR_TOKEN = 10n;

type Counted = Pick<EvmMessage, 'to' | 'data' | 'accessList' | 'authorizations'>;

export function intrinsicGas({ to, data, accessList, authorizations }: Counted, rules: Common): bigint {
  const zeros = zeroBytes(data);
  const others = BigInt(data.length) - zeros;
  let gas = TRANSACTION + zeros * ZERO_BYTE;
  gas += others * (rules.gteHardfork('istanbul') ? OTHER_BYTE : OTHER_BYTE_UNTIL_ISTANBUL);
  if (to === undefined) {
    if (rules.gteHardfork('homestead')) gas += CREATION;
    if (rules.isActivatedEIP(3860)) gas += BigInt(Math.ceil(data.length / 32)) * INITCODE_WORD;
  }
  for (const { storageKeys } of accessList) gas += LISTED_ADDRESS + BigInt(storageKeys.length) * LISTED_SLOT;
  return gas + BigInt(authorizations.length) * AUTHORIZATION;
}

/** EIP-7623: what a transaction costs at least, for its data alone; 0 before Prague. */
export function floorGas(data: Uint8Array, rules: Common): bigint {
  if (!rules.isActivatedEIP(7623)) return 0n;
  const zeros = zeroBytes(data);
  return TRANSACTION + (zeros + 4n * (BigInt(data.length) - zeros)) * FLOOR_TOKEN;
}

function zeroBytes(data: Uint8Array): bigint {
  let zeros = 0;
  for (const byte of data) if (byte === 0) zeros += 1;
  return BigInt(zeros);
}
