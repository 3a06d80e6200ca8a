import { type Deposit, formatAddress, ibcForm, rollupIdBase64Url, toProtoName } from '@switchyard/protocol';
import type { SequencerEvent } from './actions/handler.ts';
import type { AbciEvent } from './types.ts';

type Attribute = AbciEvent['attributes'][number];
type FeeEvent = Extract<SequencerEvent, { kind: 'fee' }>;

/** The ABCI events of a transaction: fees and deposits, in the order in which they happened. */
export function abciEvents(events: readonly SequencerEvent[]): AbciEvent[] {
  const shown: AbciEvent[] = [];
  const feeEvent = feeEvents();
  for (const event of events) {
    if (event.kind === 'fee') shown.push(feeEvent(event));
    if (event.kind === 'deposit') shown.push(depositEvent(event.deposit));
  }
  return shown;
}

/** A bundle pays hundreds of fees for one kind of action in one asset, so those two attributes are made once. */
function feeEvents(): (event: FeeEvent) => AbciEvent {
  let last: FeeEvent | undefined;
  let actionName = attribute('actionName', '');
  let asset = attribute('asset', '');
  return (event) => {
    if (event.action !== last?.action) actionName = attribute('actionName', toProtoName(event.action));
    if (event.asset !== last?.asset) asset = attribute('asset', ibcForm(event.asset));
    last = event;
    const amount = attribute('feeAmount', event.amount);
    const position = attribute('positionInTransaction', event.position);
    return { type: 'tx.fees', attributes: [actionName, asset, amount, position] };
  };
}

function depositEvent(deposit: Deposit): AbciEvent {
  return {
    type: 'tx.deposit',
    attributes: [
      attribute('bridgeAddress', formatAddress(deposit.bridge.account, deposit.bridge.prefix)),
      attribute('rollupId', rollupIdBase64Url(deposit.rollup)),
      attribute('amount', deposit.amount),
      attribute('asset', deposit.asset),
      attribute('destinationChainAddress', deposit.destination),
      attribute('sourceTransactionId', deposit.sourceTransaction),
      attribute('sourceActionIndex', deposit.sourceAction),
    ],
  };
}

function attribute(key: string, value: string | number | bigint): Attribute {
  return { key, value: String(value), index: true };
}
