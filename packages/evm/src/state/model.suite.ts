import { createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt';
import { accountRlp, EMPTY_CODE_HASH, EMPTY_ROOT, slotRlp } from '@switchyard/evm-machine/account';
import type { AccountState } from '@switchyard/evm-machine/state';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import { bytesToHex, hexToBytes, toWord } from '@switchyard/protocol/ethereum';
import fc from 'fast-check';
import type { StateStore } from './store.ts';

export type Step =
  | { readonly kind: 'put'; readonly who: number; readonly balance: bigint }
  | { readonly kind: 'remove'; readonly who: number }
  | { readonly kind: 'clear'; readonly who: number }
  | { readonly kind: 'slot'; readonly who: number; readonly slot: number; readonly value: bigint }
  | { readonly kind: 'code'; readonly who: number; readonly byte: number };

export const makeAddress = (who: number): Address => `0x${who.toString(16).padStart(40, '0')}`;
export const EMPTY_ACCOUNT: AccountState = {
  nonce: 0n,
  balance: 0n,
  codeHash: EMPTY_CODE_HASH,
  storageRoot: EMPTY_ROOT,
};

/** Expected state for random search: plain objects, copied for every block. */
export class Model {
  accounts = new Map<Address, { balance: bigint; codeHash: Hash }>();
  slots = new Map<Address, Map<Hash, bigint>>();

  copy(): Model {
    const model = new Model();
    model.accounts = new Map(this.accounts);
    model.slots = new Map([...this.slots].map(([address, slots]) => [address, new Map(slots)]));
    return model;
  }

  async root(): Promise<Hash> {
    const trie = await newTrie();
    for (const [address, account] of this.accounts) {
      const storageRoot = await this.storageRoot(address);
      await trie.put(hexToBytes(address), accountRlp({ ...EMPTY_ACCOUNT, ...account, storageRoot }));
    }
    return bytesToHex(trie.root());
  }

  async storageRoot(address: Address): Promise<Hash> {
    return bytesToHex((await this.storageTrie(address)).root());
  }

  async storageTrie(address: Address): Promise<MerklePatriciaTrie> {
    const trie = await newTrie();
    for (const [slot, value] of this.slots.get(address) ?? []) {
      if (value !== 0n) await trie.put(hexToBytes(slot), slotRlp(value));
    }
    return trie;
  }
}

export const newTrie = (): Promise<MerklePatriciaTrie> => createMPT({ useKeyHashing: true });

/** @returns the model after the steps. */
export function run(steps: readonly Step[], overlay: ReturnType<StateStore['overlay']>, start: Model): Model {
  const model = start.copy();
  for (const step of steps) apply(step, overlay, model);
  return model;
}

function apply(step: Step, overlay: ReturnType<StateStore['overlay']>, model: Model): void {
  const address = makeAddress(step.who);
  const account = overlay.account(address);
  if (step.kind === 'put') {
    overlay.putAccount(address, { ...(account ?? EMPTY_ACCOUNT), balance: step.balance });
    const codeHash = model.accounts.get(address)?.codeHash ?? EMPTY_CODE_HASH;
    model.accounts.set(address, { balance: step.balance, codeHash });
  } else if (step.kind === 'remove') {
    overlay.putAccount(address, undefined);
    model.accounts.delete(address);
    model.slots.delete(address);
  } else if (account === undefined) {
    return;
  } else if (step.kind === 'clear') {
    overlay.clearStorage(address);
    model.slots.delete(address);
  } else if (step.kind === 'slot') {
    overlay.putStorage(address, toWord(BigInt(step.slot)), step.value);
    const slots = model.slots.get(address) ?? new Map<Hash, bigint>();
    model.slots.set(address, slots.set(toWord(BigInt(step.slot)), step.value));
  } else {
    const codeHash = overlay.putCode(Uint8Array.of(step.byte));
    overlay.putAccount(address, { ...account, codeHash });
    model.accounts.set(address, { balance: account.balance, codeHash });
  }
}

const who = fc.integer({ min: 0, max: 40 });
const slot = fc.integer({ min: 0, max: 30 });
const value = fc.oneof(
  fc.constant(0n),
  fc.bigInt({ min: 1n, max: 300n }),
  fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), who, balance: value }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const), who }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('slot' as const), who, slot, value }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('code' as const), who, byte: fc.integer({ min: 0, max: 3 }) }),
  },
);
export const blocks = fc.array(fc.array(step, { maxLength: 40 }), { minLength: 1, maxLength: 8 });
