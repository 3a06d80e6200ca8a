import { encodeRlp } from '@switchyard/protocol/ethereum';
import type { Address, Data } from './types.ts';

/*
 * The contracts that the protocol itself calls from Prague on, and from Amsterdam on. Addresses and code are those of the EIPs, the same on all
 * chains; go-ethereum has them in params/protocol_params.go.
 */

/** EIP-2935: keeps the hashes of the last 8,191 blocks for contracts to read. */
export const HISTORY_ADDRESS: Address = '0x0000f90827f1c53a10cb7a02335b175320002935';
export const HISTORY_CODE: Data =
  '0x3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500';
/** EIP-7002: collects what validators ask to withdraw. */
export const WITHDRAWALS_ADDRESS: Address = '0x00000961ef480eb55e80d19ad83579a64c007002';
export const WITHDRAWALS_CODE: Data =
  '0x3373fffffffffffffffffffffffffffffffffffffffe1460cb5760115f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff146101f457600182026001905f5b5f82111560685781019083028483029004916001019190604d565b909390049250505036603814608857366101f457346101f4575f5260205ff35b34106101f457600154600101600155600354806003026004013381556001015f35815560010160203590553360601b5f5260385f601437604c5fa0600101600355005b6003546002548082038060101160df575060105b5f5b8181146101835782810160030260040181604c02815460601b8152601401816001015481526020019060020154807fffffffffffffffffffffffffffffffff00000000000000000000000000000000168252906010019060401c908160381c81600701538160301c81600601538160281c81600501538160201c81600401538160181c81600301538160101c81600201538160081c81600101535360010160e1565b910180921461019557906002556101a0565b90505f6002555f6003555b5f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff14156101cd57505f5b6001546002828201116101e25750505f6101e8565b01600290035b5f555f600155604c025ff35b5f5ffd';
/** EIP-7251: collects which validators ask to be merged. */
export const CONSOLIDATIONS_ADDRESS: Address = '0x0000bbddc7ce488642fb579f8b00f3a590007251';
export const CONSOLIDATIONS_CODE: Data =
  '0x3373fffffffffffffffffffffffffffffffffffffffe1460d35760115f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff1461019a57600182026001905f5b5f82111560685781019083028483029004916001019190604d565b9093900492505050366060146088573661019a573461019a575f5260205ff35b341061019a57600154600101600155600354806004026004013381556001015f358155600101602035815560010160403590553360601b5f5260605f60143760745fa0600101600355005b6003546002548082038060021160e7575060025b5f5b8181146101295782810160040260040181607402815460601b815260140181600101548152602001816002015481526020019060030154905260010160e9565b910180921461013b5790600255610146565b90505f6002555f6003555b5f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff141561017357505f5b6001546001828201116101885750505f61018e565b01600190035b5f555f6001556074025ff35b5f5ffd';

/** EIP-8282: collects what builders of blocks deposit. */
export const BUILDER_DEPOSITS_ADDRESS: Address = '0x0000bff46984e3725691fa540a8c7589300d8282';
export const BUILDER_DEPOSITS_CODE: Data =
  '0x3373fffffffffffffffffffffffffffffffffffffffe1461011c575f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff146102705760015460088111605257506058565b60089003015b601190600182026001905f5b5f821115607f57810190830284830290049160010191906064565b90939004925050503660b814609f57366102705734610270575f5260205ff35b8034106102705760383567ffffffffffffffff1680633b9aca001161027057633b9aca00029034031061027057600154600101600155600354806006026004015f358155600101602035815560010160403581556001016060358155600101608035815560010160a035905560b85f5f3760b85fa0600101600355005b60035460025480820380604011610131575060405b5f5b8181146101d7578281016006026004018160b8028154815260200181600101548152602001816002015480825260401c67ffffffffffffffff16816010018160381c81600701538160301c81600601538160281c81600501538160201c81600401538160181c81600301538160101c81600201538160081c816001015353602001816003015481526020018160040154815260200190600501549052600101610133565b91018092146101e957906002556101f4565b90505f6002555f6003555b36610242575f54600154817fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff1461023057600882820111610238575b50505f610264565b0160089003610264565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5b5f555f60015560b8025ff35b5f5ffd';
/** EIP-8282: collects which builders want to leave. */
export const BUILDER_EXITS_ADDRESS: Address = '0x000064d678505ad48f8ccb093bc65613800e8282';
export const BUILDER_EXITS_CODE: Data =
  '0x3373fffffffffffffffffffffffffffffffffffffffe1460e1575f54807fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff146101c65760015460028111605157506057565b60029003015b601190600182026001905f5b5f821115607e57810190830284830290049160010191906063565b909390049250505036603014609e57366101c657346101c6575f5260205ff35b34106101c657600154600101600155600354806003026004013381556001015f35815560010160203590553360601b5f5260305f60143760445fa0600101600355005b6003546002548082038060101160f5575060105b5f5b81811461012d5782810160030260040181604402815460601b8152601401816001015481526020019060020154905260010160f7565b910180921461013f579060025561014a565b90505f6002555f6003555b36610198575f54600154817fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff146101865760028282011161018e575b50505f6101ba565b01600290036101ba565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5b5f555f6001556044025ff35b5f5ffd';

interface SystemContract {
  readonly address: Address;
  readonly code: Data;
}

/** By the fork that calls them first. */
export const SYSTEM_CONTRACTS: readonly SystemContract[] = [
  { address: HISTORY_ADDRESS, code: HISTORY_CODE },
  { address: WITHDRAWALS_ADDRESS, code: WITHDRAWALS_CODE },
  { address: CONSOLIDATIONS_ADDRESS, code: CONSOLIDATIONS_CODE },
];

export const AMSTERDAM_CONTRACTS: readonly SystemContract[] = [
  { address: BUILDER_DEPOSITS_ADDRESS, code: BUILDER_DEPOSITS_CODE },
  { address: BUILDER_EXITS_ADDRESS, code: BUILDER_EXITS_CODE },
];

/** EIP-7685: contracts whose answer at the end of a block is a request. Without them no block of the fork is valid. */
export const REQUEST_CONTRACTS: readonly (SystemContract & {
  readonly since: 'prague' | 'amsterdam';
  /** The byte before the answer. */
  readonly type: number;
  /** Requests for each block at which the fee stands still. */
  readonly target: bigint;
})[] = [
  { since: 'prague', type: 1, address: WITHDRAWALS_ADDRESS, code: WITHDRAWALS_CODE, target: 2n },
  { since: 'prague', type: 2, address: CONSOLIDATIONS_ADDRESS, code: CONSOLIDATIONS_CODE, target: 1n },
  { since: 'amsterdam', type: 3, address: BUILDER_DEPOSITS_ADDRESS, code: BUILDER_DEPOSITS_CODE, target: 8n },
  { since: 'amsterdam', type: 4, address: BUILDER_EXITS_ADDRESS, code: BUILDER_EXITS_CODE, target: 2n },
];

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
 * without them: a salt, with which their addresses follow, and what creates them.
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
