import { type DescMessage, fromBinary, type MessageShape } from '@bufbuild/protobuf';
import { type AssetId, type RollupId, rollupIdFromBytes, u128FromWire } from '@switchyard/protocol';
import { accounts, asset, bridge, fees } from '@switchyard/protocol/gen';
import { InvalidData } from '@switchyard/service/input';
import { type CometClient, QueryFailed, type QueryOptions } from './comet.ts';

/** An amount of an asset: its full name or, if the sequencer does not know that, `ibc/...`. */
export interface AssetAmount {
  readonly asset: string;
  readonly amount: bigint;
}

export interface BridgeAccount {
  readonly rollup: RollupId;
  readonly asset: string;
  /** Addresses as text. */
  readonly sudo: string;
  readonly withdrawer: string;
}

const NOT_FOUND = 8;

/** The application's queries as typed calls. Addresses are bech32m text. All throw `QueryFailed` for its refusals. */
export function stateQueries({ query }: Pick<CometClient, 'query'>) {
  async function ask<D extends DescMessage>(path: string, schema: D, options: QueryOptions = {}) {
    const { value, height } = await query(path, options);
    return { height, message: decode(path, schema, value) };
  }

  return {
    async balances(address: string, signal?: AbortSignal): Promise<{ height: bigint; balances: AssetAmount[] }> {
      const { message } = await ask(`accounts/balance/${address}`, accounts.BalanceResponseSchema, { signal });
      const balances = message.balances.map(({ denom, balance }) => ({ asset: denom, amount: u128FromWire(balance) }));
      return { height: message.height, balances };
    },

    /** The nonce in the last block: how many transactions of the account were executed. */
    async nonce(address: string, signal?: AbortSignal): Promise<{ height: bigint; nonce: number }> {
      const { message } = await ask(`accounts/nonce/${address}`, accounts.NonceResponseSchema, { signal });
      return { height: message.height, nonce: message.nonce };
    },

    /** @returns undefined for an account that is no bridge account. */
    async bridgeAccount(address: string, signal?: AbortSignal): Promise<BridgeAccount | undefined> {
      const path = `bridge/account_info/${address}`;
      const { message } = await ask(path, bridge.BridgeAccountInfoResponseSchema, { signal });
      const { rollupId, asset: name, sudoAddress, withdrawerAddress } = message;
      if (rollupId === undefined) return undefined;
      if (name === undefined || sudoAddress === undefined || withdrawerAddress === undefined) {
        throw new InvalidData(`${path}: expected asset, sudo and withdrawer of a bridge account`);
      }
      const rollup = rollupIdFromBytes(rollupId.inner);
      return { rollup, asset: name, sudo: sudoAddress.bech32m, withdrawer: withdrawerAddress.bech32m };
    },

    /**
     * Whether a bridge account has paid a withdrawal: the rollup block that the payment named, or undefined. A sequencer
     * without our query refuses it.
     */
    async withdrawalEvent(bridge: string, event: string, signal?: AbortSignal): Promise<bigint | undefined> {
      const path = `bridge/withdrawal_event/${bridge}`;
      const { value } = await query(path, { data: new TextEncoder().encode(event), signal });
      const text = new TextDecoder().decode(value);
      if (text === '') return undefined;
      if (!/^\d{1,20}$/.test(text)) throw new InvalidData(`${path}: expected decimal digits`);
      return BigInt(text);
    },

    async allowedFeeAssets(signal?: AbortSignal): Promise<string[]> {
      const { message } = await ask('asset/allowed_fee_assets', asset.AllowedFeeAssetsResponseSchema, { signal });
      return message.feeAssets;
    },

    /** @returns undefined for an asset that was never registered. */
    async denom(id: AssetId, signal?: AbortSignal): Promise<string | undefined> {
      try {
        return (await ask(`asset/denom/${id}`, asset.DenomResponseSchema, { signal })).message.denom;
      } catch (error) {
        if (error instanceof QueryFailed && error.code === NOT_FOUND) return undefined;
        throw error;
      }
    },

    /** Fee that a transaction would cost. @param body An encoded transaction body, not signed. */
    async fee(body: Uint8Array, signal?: AbortSignal): Promise<AssetAmount[]> {
      const { message } = await ask('transaction/fee', fees.TransactionFeeResponseSchema, { data: body, signal });
      return message.fees.map((each) => ({ asset: each.asset, amount: u128FromWire(each.fee) }));
    },
  };
}

function decode<D extends DescMessage>(path: string, schema: D, bytes: Uint8Array): MessageShape<D> {
  try {
    return fromBinary(schema, bytes);
  } catch (error) {
    throw new InvalidData(`${path}: expected an encoded ${schema.typeName}`, { cause: error });
  }
}
