import type { Address, Denom } from '@switchyard/protocol';

/** Moves an amount of an asset to another account. */
export interface Transfer {
  readonly kind: 'transfer';
  readonly to: Address;
  readonly amount: bigint;
  readonly asset: Denom;
  /** Must be an asset, and says nothing: transfers are free. */
  readonly feeAsset: Denom;
}

/** Posts a text under a name that the sender chooses. */
export interface SendText {
  readonly kind: 'sendText';
  readonly text: string;
  readonly name: string;
  readonly feeAsset: Denom;
}

export type MessengerAction = Transfer | SendText;

/** What executed transactions announce. */
export interface MessengerEvent {
  readonly kind: 'text';
  readonly name: string;
  readonly text: string;
}
