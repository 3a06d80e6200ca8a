import { Reader, Rejected, readTransactionParams, Writer } from '@switchyard/protocol';
import { absent } from './fields.ts';
import { MAX_ACTIONS } from './limits.ts';
import { type AnyCodec, CODECS, codecOf, codecOfField, type MessengerAction } from './registry.ts';

/** Signed part of a transaction. */
export interface MessengerBody {
  readonly nonce: number;
  readonly chainId: string;
  readonly actions: readonly MessengerAction[];
}

/**
 * @param withdrawals Whether the chain has withdrawals. One from before them replays as it was: their field was unknown.
 * @throws {Rejected} for bytes that are no body of at least one action.
 */
export function decodeBody(body: Uint8Array, withdrawals = true): MessengerBody {
  const reader = new Reader(body, 'TransactionBody');
  let params: ReturnType<typeof readTransactionParams> | undefined;
  const actions: MessengerAction[] = [];
  while (reader.next()) {
    if (reader.field === 1) params = readTransactionParams(reader.message('TransactionParams'), params);
    else if (reader.field === 2) {
      if (actions.length === MAX_ACTIONS) throw new Rejected('too-large', { field: 'actions', limit: MAX_ACTIONS });
      actions.push(readAction(reader.message('Action'), withdrawals));
    } else reader.skip();
  }
  if (params === undefined) throw absent('params');
  if (actions.length === 0) throw new Rejected('empty', { field: 'actions' });
  return { ...params, actions };
}

export function encodeBody({ nonce, chainId, actions }: MessengerBody): Uint8Array {
  const writer = new Writer(256).message(1, (params) => params.uint32(1, nonce).string(2, chainId));
  for (const action of actions) {
    const codec = codecOf(action);
    writer.message(2, (wrapper) => wrapper.message(codec.field, (message) => codec.write(message, action)));
  }
  return writer.finish();
}

/** The last member of a union counts; pieces of one member that follow each other are merged, as protobuf asks. */
function readAction(reader: Reader, withdrawals: boolean): MessengerAction {
  let codec: AnyCodec | undefined;
  let fields: unknown;
  while (reader.next()) {
    const found = codecOfField(reader.field);
    if (found === undefined || (!withdrawals && found.field === CODECS.withdraw.field)) reader.skip();
    else {
      fields = found.read(reader.message(found.name), found === codec ? fields : found.none);
      codec = found;
    }
  }
  if (codec === undefined) throw absent('action');
  return codec.parse(fields);
}
