import { type ActionHandler, credit, debit, type StateWriter } from '@switchyard/machine';
import {
  assetIdFromTrace,
  createSigner,
  parseAddress,
  parseDenom,
  Reader,
  Rejected,
  rollupIdFromName,
  type Signer,
  signEnvelope,
  Writer,
} from '@switchyard/protocol';
import type { EncodedEvent } from '../app/commits.ts';
import type { RollupDefinition } from '../app/definition.ts';
import type { RollupGenesis } from '../app/genesis.ts';

/** The smallest rollup there is: its only action spends an amount of the signer's tokens. */
export interface SpendAction {
  readonly kind: 'spend';
  readonly amount: bigint;
}

export const TALLY_TYPE = '/test.Tally';
export const TOKEN = assetIdFromTrace('token');
export const signers: readonly [Signer, Signer] = [
  createSigner(new Uint8Array(32).fill(1)),
  createSigner(new Uint8Array(32).fill(2)),
];

const spend: ActionHandler<SpendAction, EncodedEvent> = {
  check({ amount }) {
    if (amount === 0n) throw new Rejected('empty', { field: 'amount' });
  },
  execute({ amount }, { state, signer, emit }) {
    debit(state, signer, TOKEN, amount);
    const value = { kind: 'spent', amount };
    emit({ value, bytes: new Uint8Array() });
  },
};

export function tallyGenesis(changes: Partial<RollupGenesis> = {}): RollupGenesis {
  return {
    rollupName: 'tally',
    rollup: rollupIdFromName('tally'),
    chainId: 'tally-1',
    sequencerGenesisBlockHeight: 10n,
    sequencerChainId: 'sequencer-0',
    daGenesisBlockHeight: 5n,
    daBlockVariance: 50n,
    bridgeAccounts: new Set(),
    ...changes,
  };
}

export function tallyRollup(genesis: RollupGenesis = tallyGenesis(), held = 1_000n): RollupDefinition {
  return {
    name: 'tally',
    genesis,
    transactions: { typeUrl: TALLY_TYPE, maxBytes: 1_000, decodeBody },
    actions: { spend },
    // The only kind of action.
    spends: (action) => [{ asset: TOKEN, amount: (action as SpendAction).amount }],
    initialState(state: StateWriter) {
      for (const { account } of signers) credit(state, account, TOKEN, held);
    },
    onDeposit({ destination, asset, amount }, state) {
      const account = parseAddress(destination);
      credit(state, account, parseDenom(asset).id, amount);
      return account;
    },
  };
}

/** A signed transaction of the tally rollup. */
export function signSpend(
  { nonce, amount = 1n, chainId = 'tally-1' }: { nonce: number; amount?: bigint; chainId?: string },
  signer: Signer = signers[0],
): Uint8Array {
  const body = new Writer().uint32(1, nonce).string(2, chainId).uint64(3, amount).finish();
  return signEnvelope(TALLY_TYPE, body, signer);
}

function decodeBody(body: Uint8Array) {
  const reader = new Reader(body, 'Tally');
  let nonce = 0;
  let chainId = '';
  let amount = 0n;
  while (reader.next()) {
    if (reader.field === 1) nonce = reader.uint32();
    else if (reader.field === 2) chainId = reader.string();
    else if (reader.field === 3) amount = reader.uint64();
    else reader.skip();
  }
  return { nonce, chainId, actions: [{ kind: 'spend', amount } as const] };
}

/** Body of a batch. */
export function framed(...items: Uint8Array[]): Uint8Array {
  return Buffer.concat(
    items.flatMap((item) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(item.length);
      return [length, item];
    }),
  );
}
