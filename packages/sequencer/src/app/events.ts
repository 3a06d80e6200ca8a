import { formatAddress, ibcForm, protoNameOf, rollupIdBase64Url } from '@switchyard/protocol';
import type { SequencerEvent } from './actions/handler.ts';
import type { AbciEvent } from './types.ts';

/** What the wire tells of a transaction's events: fees and deposits, in the order in which they happened. */
export function abciEvents(events: readonly SequencerEvent[]): AbciEvent[] {
  return events.flatMap((event): AbciEvent[] => {
    switch (event.kind) {
      case 'fee':
        return [
          indexed('tx.fees', {
            actionName: protoNameOf(event.action),
            asset: ibcForm(event.asset),
            feeAmount: event.amount,
            positionInTransaction: event.position,
          }),
        ];
      case 'deposit': {
        const { deposit } = event;
        return [
          indexed('tx.deposit', {
            bridgeAddress: formatAddress(deposit.bridge.account, deposit.bridge.prefix),
            rollupId: rollupIdBase64Url(deposit.rollup),
            amount: deposit.amount,
            asset: deposit.asset,
            destinationChainAddress: deposit.destination,
            sourceTransactionId: deposit.sourceTransaction,
            sourceActionIndex: deposit.sourceAction,
          }),
        ];
      }
      default:
        return [];
    }
  });
}

function indexed(type: string, attributes: Readonly<Record<string, string | number | bigint>>): AbciEvent {
  return {
    type,
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: String(value), index: true })),
  };
}
