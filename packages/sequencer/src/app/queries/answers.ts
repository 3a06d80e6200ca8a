import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { balances, nonces, type StateReader } from '@switchyard/machine';
import {
  ACTION_KINDS,
  type AccountId,
  type Action,
  assetIdFromBytes,
  decodeTransactionBody,
  formatAddress,
  fromHex,
  getFeeName,
  getGroup,
  rollupIdBytes,
  txHashBytes,
  u128ToWire,
} from '@switchyard/protocol';
import { accounts, asset as assetMessages, bridge as bridgeMessages, fees } from '@switchyard/protocol/gen';
import { snakeCase } from '@switchyard/service/input';
import { totalFees } from '../fees.ts';
import { assetName, assets, getFullName } from '../tables/assets.ts';
import { bridges, lastTransactions, withdrawalBlock } from '../tables/bridge.ts';
import { chainPrefix } from '../tables/chain.ts';
import { allowedFeeAssets, feeComponents } from '../tables/fees.ts';
import { addressParameter, orProblem, QueryProblem, type QueryRoute } from './route.ts';

/** More assets than an account will ever hold by honest means; a bound on the reads of one query. */
const MAX_ASSETS = 10_000;
const MAX_EVENT_ID_BYTES = 256;

/** Answers by path: without a leading slash; a trailing `{name}` stands for one more segment. */
export const ANSWERS: Readonly<Record<string, QueryRoute>> = {
  /** All that an account holds, by name of the asset. An account never seen holds nothing. */
  'accounts/balance/{address}': message(accounts.BalanceResponseSchema, ({ snapshot, height, parameter }) => {
    const account = addressParameter(parameter);
    const rows = [...balances.range(snapshot, { within: `${account}/`, limit: MAX_ASSETS })];
    const held = rows
      .map(([[, asset], amount]) => ({ denom: assetName(snapshot, asset), balance: u128ToWire(amount) }))
      .sort((a, b) => (a.denom < b.denom ? -1 : 1));
    return { height, balances: held };
  }),

  /** How many transactions of an account were executed: its next nonce, unless some are waiting. */
  'accounts/nonce/{address}': message(accounts.NonceResponseSchema, ({ snapshot, height, parameter }) => ({
    height,
    nonce: nonces.get(snapshot, addressParameter(parameter)),
  })),

  /** The full name behind an asset's id. */
  'asset/denom/{id}': message(assetMessages.DenomResponseSchema, ({ snapshot, height, parameter }) => {
    const id = orProblem('invalidParameter', () => assetIdFromBytes(fromHex(parameter)));
    const denom = assets.get(snapshot, id);
    if (denom === undefined) throw new QueryProblem('notFound', `no asset with id ${id} is registered`);
    return { height, denom };
  }),

  /** Assets that fees may be paid in. */
  'asset/allowed_fee_assets': message(assetMessages.AllowedFeeAssetsResponseSchema, ({ snapshot, height }) => ({
    height,
    feeAssets: allowedFeeAssets(snapshot).map((asset) => assetName(snapshot, asset)),
  })),

  /** A bridge account's purpose and the keys it obeys. For any other account only the height is set. */
  'bridge/account_info/{address}': message(
    bridgeMessages.BridgeAccountInfoResponseSchema,
    ({ snapshot, height, parameter }) => {
      const row = bridges.get(snapshot, addressParameter(parameter));
      if (row === undefined) return { height };
      const prefix = chainPrefix(snapshot);
      const address = (account: AccountId) => ({ bech32m: formatAddress(account, prefix) });
      return {
        height,
        rollupId: { inner: rollupIdBytes(row.rollup) },
        asset: orProblem('internal', () => getFullName(snapshot, row.asset)),
        sudoAddress: address(row.sudo),
        withdrawerAddress: address(row.withdrawer),
      };
    },
  ),

  /** The last transaction that a bridge account signed while it was one. */
  'bridge/account_last_tx_hash/{address}': message(
    bridgeMessages.BridgeAccountLastTxHashResponseSchema,
    ({ snapshot, height, parameter }) => {
      const hash = lastTransactions.get(snapshot, addressParameter(parameter));
      return { height, ...(hash !== undefined && { txHash: txHashBytes(hash) }) };
    },
  ),

  /**
   * Whether a bridge account has paid a withdrawal event: the rollup block that the payment named in decimal digits, or
   * nothing. The data of the query is the event id. Our own; the reference has no such query.
   */
  'bridge/withdrawal_event/{address}': ({ snapshot, parameter, data }) => {
    const bridge = addressParameter(parameter);
    if (data.length === 0 || data.length > MAX_EVENT_ID_BYTES) {
      const expected = `an event id of 1 to ${MAX_EVENT_ID_BYTES} bytes as data`;
      throw new QueryProblem('invalidParameter', `expected ${expected}, got ${data.length} bytes`);
    }
    const block = withdrawalBlock(snapshot, bridge, new TextDecoder().decode(data));
    return new TextEncoder().encode(block === undefined ? '' : String(block));
  },

  /** Fees of a transaction, from its unsigned body. */
  'transaction/fee': message(fees.TransactionFeeResponseSchema, ({ snapshot, height, data }) => {
    const actions = orProblem('badRequest', () => {
      const body = decodeTransactionBody(data);
      getGroup(body.actions);
      return body.actions;
    });
    return { height, fees: getFees(snapshot, actions) };
  }),

  /** The price list. JSON, unlike every other answer, as the wire has it. */
  'fees/components': ({ snapshot }) => {
    const members = ACTION_KINDS.map((kind) => {
      const row = feeComponents.get(snapshot, kind);
      // Written by hand because the amounts have up to 39 digits, which a JSON number of this language cannot hold.
      const value = row === undefined ? '"not set"' : `{"base":${row.base},"multiplier":${row.multiplier}}`;
      return `"${snakeCase(getFeeName(kind))}":${value}`;
    });
    return new TextEncoder().encode(`{${members.join(',')}}`);
  },
};

/** An answer that is one message, in its encoding. */
function message<Schema extends DescMessage>(
  schema: Schema,
  answer: (...given: Parameters<QueryRoute>) => MessageInitShape<Schema>,
): QueryRoute {
  return (input) => toBinary(schema, create(schema, answer(input)));
}

/** @throws {QueryProblem} for disabled actions and assets that are not known by name. */
export function getFees(state: StateReader, actions: readonly Action[]) {
  return orProblem('internal', () =>
    [...totalFees(state, actions)].map(([asset, fee]) => ({
      asset: getFullName(state, asset),
      fee: u128ToWire(fee),
    })),
  );
}
