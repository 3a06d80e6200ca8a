import type { Address, Data } from '@switchyard/evm-machine/types';
import { encodeRlp } from '@switchyard/protocol/ethereum';
import {
  BUILDER_DEPOSITS_ADDRESS,
  BUILDER_DEPOSITS_CODE,
  BUILDER_EXITS_ADDRESS,
  BUILDER_EXITS_CODE,
  CONSOLIDATIONS_ADDRESS,
  CONSOLIDATIONS_CODE,
  HISTORY_ADDRESS,
  HISTORY_CODE,
  WITHDRAWALS_ADDRESS,
  WITHDRAWALS_CODE,
} from '../rules/system-contracts.ts';

/** How a contract comes to its address on a chain that began without it. */
export interface Deployment {
  readonly address: Address;
  /** Has no key: the signature was chosen, and the account follows from it. It needs 0.25 coins. */
  readonly sender: Address;
  /** The signed transaction, valid on every chain. */
  readonly raw: Uint8Array;
}

/** The transactions of the EIPs, the same on all chains: nonce 0, 250,000 gas at 1,000 gwei, v 27, r 0x539. */
export function systemDeployments(): readonly Deployment[] {
  return [
    {
      address: HISTORY_ADDRESS,
      sender: '0x3462413af4609098e1e27a490f554f260213d685',
      raw: presigned(`0x60538060095f395ff3${HISTORY_CODE.slice(2)}`, 0xaa12693182426612186309f02cfe8a80a0000n),
    },
    {
      address: WITHDRAWALS_ADDRESS,
      sender: '0x8646861a7cf453ddd086874d622b0696de5b9674',
      raw: presigned(
        `${INHIBITED}5f556101f880602d5f395ff3${WITHDRAWALS_CODE.slice(2)}`,
        0x5feeb084551e4e03a3581e269bc2ea2f8d0008n,
      ),
    },
    {
      address: CONSOLIDATIONS_ADDRESS,
      sender: '0x13d1913d623e6a9d8811736359e50fd31fe54fca',
      raw: presigned(
        `${INHIBITED}5f5561019e80602d5f395ff3${CONSOLIDATIONS_CODE.slice(2)}`,
        0x0c0730f92dc275b663d377a7cbb141b6600052n,
      ),
    },
  ];
}

/**
 * Input of transactions to the factory of EIP-7997, by which anyone makes the contracts of EIP-8282 on a chain that began
 * without them: a salt, with which their addresses follow, and their creation code.
 */
export function builderDeployments(): readonly { readonly address: Address; readonly input: Data }[] {
  return [
    {
      address: BUILDER_DEPOSITS_ADDRESS,
      input: `0x1f4f2c41c28e816e259b621c58b94b37309c8dec42c8f6e400001a46c9d96bf761027480600a5f395ff3${BUILDER_DEPOSITS_CODE.slice(2)}`,
    },
    {
      address: BUILDER_EXITS_ADDRESS,
      input: `0x89abb1878437213f971f849327423ed1d9c5cdb03970cd8f0000318b3ff10119${INHIBITED.slice(2)}5f556101ca80602d5f395ff3${BUILDER_EXITS_CODE.slice(2)}`,
    },
  ];
}

/** PUSH32 of the largest word, which these keep in slot 0 until the protocol calls them. */
const INHIBITED: Data = `0x7f${'ff'.repeat(32)}`;

function presigned(creation: Data, s: bigint): Uint8Array {
  return encodeRlp([0n, 1_000_000_000_000n, 250_000n, '0x', 0n, creation, 27n, 0x539n, s]);
}
