/** Why an entry of a sequencer block became nothing. The codes are shown to clients: append, never rename. */
export const REFUSALS = {
  malformed: 'these bytes are no transaction',
  'blob-transaction': 'blob transactions are not accepted',
  'unknown-type': 'a transaction type that this chain does not have',
  'too-large': 'the transaction is longer than 131072 bytes',
  'bad-signature': 'the signature is not valid',
  'wrong-chain': 'signed for another chain id',
  'intrinsic-gas': 'the gas limit does not cover what every such transaction costs',
  'initcode-size': 'the code that creates the contract is longer than 49152 bytes',
  'tip-above-fee-cap': 'the priority fee is higher than the fee cap',
  'fee-cap-too-low': 'the fee cap is below the base fee of the block',
  'nonce-too-low': 'the nonce was used before',
  'nonce-too-high': 'a transaction with an earlier nonce is missing',
  'nonce-max': 'the account has used its last nonce',
  'sender-not-eoa': 'the sender is a contract',
  'insufficient-funds': 'the sender cannot pay gas and value',
  'block-gas': 'its gas limit is more than the block has left',
  'not-applicable': 'the back end could not apply it',
  'unknown-bridge': 'the deposit comes from a bridge account that this rollup does not have',
  'wrong-asset': 'the bridge account is for another asset',
  'bad-recipient': 'the recipient is not an address of this chain',
  'deposit-empty': 'the deposit has no amount',
  'deposit-too-large': 'the amount does not fit into a withdrawal',
  'floor-gas': 'the gas limit does not cover what its data costs at least',
  'tx-gas-cap': 'a transaction may have at most 16777216 gas',
  'no-authorizations': 'a transaction of type 4 needs a recipient and at least one authorization',
  'block-size': 'the block has no room left for so many bytes',
  'unknown-entry': 'an entry of a kind that this version does not know',
} as const;

export type RefusalCode = keyof typeof REFUSALS;

export interface Refusal {
  readonly code: RefusalCode;
  /** One line for people. */
  readonly reason: string;
}

export function refusal(code: RefusalCode, details: string): Refusal {
  return { code, reason: `${REFUSALS[code]}: ${details}` };
}
