import { type AsyncSigner, formatAddress, fromHex } from '@switchyard/protocol';
import {
  developmentKeys,
  isProtected,
  type KeyStore,
  openKeyStore,
  openSeed,
  protectKey,
  randomSeed,
  type StoredKey,
  sealKey,
  signerOfKey,
  signerOfSeed,
} from '@switchyard/rollup/live/browser';
import { useCallback, useEffect, useRef, useState } from 'react';
import { readSetting, writeSetting } from '../ui/settings.ts';

/** An account that can write from this page. */
export interface Account {
  readonly address: string;
  readonly name: string;
  readonly kind: 'own' | 'development';
  /** Whether a passkey unlocks it; undefined if it cannot be protected by one. */
  readonly isProtected?: boolean;
  readonly signer: () => Promise<AsyncSigner>;
  /** The secret, for an export; undefined for development accounts, whose keys are public. */
  readonly seed?: () => Promise<Uint8Array>;
}

export type Accounts = ReturnType<typeof useAccounts>;

const DATABASE = 'switchyard-chat';
const CHANNEL = 'switchyard-chat/keys';
const CHOSEN = 'chat/account';

const development: readonly Account[] = developmentKeys.map(({ name, address, key }) => ({
  address,
  name,
  kind: 'development',
  signer: () => signerOfSeed(fromHex(key)),
}));

/** The accounts of this browser; pages of the same browser stay in step. */
export function useAccounts() {
  const [own, setOwn] = useState<readonly Account[]>([]);
  const [problem, setProblem] = useState<string>();
  const [chosen, setChosen] = useState(() => readSetting('page', CHOSEN));
  const store = useRef<KeyStore>(undefined);
  const channel = useRef<BroadcastChannel>(undefined);

  const reload = useCallback(async () => {
    const keys = await store.current?.all();
    if (keys === undefined) return;
    // An unlocked key stays so.
    setOwn((before) =>
      keys.map((key) =>
        ownAccount(
          key,
          before.find(({ address }) => address === key.address),
        ),
      ),
    );
  }, []);
  const keep = useCallback(
    async (key: StoredKey) => {
      await store.current?.put(key);
      channel.current?.postMessage('changed');
      await reload();
    },
    [reload],
  );

  useEffect(() => {
    const others = 'BroadcastChannel' in globalThis ? new BroadcastChannel(CHANNEL) : undefined;
    channel.current = others;
    if (others !== undefined) others.onmessage = () => void reload();
    openStore().then(
      async (opened) => {
        store.current = opened;
        await reload();
      },
      () => {
        setProblem(reasonNotKept());
        void visitAccount(randomSeed()).then((account) => setOwn([account]));
      },
    );
    return () => others?.close();
  }, [reload]);

  const all = [...own, ...development];
  const last = readSetting('browser', CHOSEN);
  // A page without a choice uses the key that another one used last, but never a development key unasked.
  const current =
    all.find(({ address }) => address === chosen) ?? own.find(({ address }) => address === last) ?? own[0];
  const choose = (address: string) => {
    setChosen(address);
    writeSetting('page', CHOSEN, address);
    writeSetting('browser', CHOSEN, address);
  };
  const storedKey = async () => (await store.current?.all())?.find(({ address }) => address === current?.address);
  return {
    all,
    // Undefined until the keys are read.
    current: own.length === 0 ? undefined : current,
    // Why keys cannot be kept; undefined if they can.
    problem,
    choose,
    async rename(name: string) {
      const key = await storedKey();
      if (key !== undefined) return keep({ ...key, name });
      setOwn((own) => own.map((account) => (account === current ? { ...account, name } : account)));
    },
    async protect() {
      const key = await storedKey();
      if (key !== undefined) await keep(await protectKey(key));
    },
    /** Keeps another key, and uses it. */
    async add(seed: Uint8Array) {
      if (store.current === undefined) {
        const account = await visitAccount(seed);
        setOwn((own) => [...own.filter(({ address }) => address !== account.address), account]);
        return choose(account.address);
      }
      const key = await sealKey(seed, '');
      const isKnown = (await store.current.all()).some(({ address }) => address === key.address);
      if (!isKnown) await keep(key);
      choose(key.address);
    },
  };
}

/** With a key in it: the first visit makes one. */
async function openStore(): Promise<KeyStore> {
  const opened = await openKeyStore(DATABASE);
  if ((await opened.all()).length === 0) await opened.putFirst(await sealKey(randomSeed(), ''));
  // Asks the browser not to clear it when space runs out. Without permission it is as before.
  void navigator.storage?.persist?.().catch(() => false);
  return opened;
}

function reasonNotKept(): string {
  return globalThis.isSecureContext
    ? 'This browser does not let the page keep anything, as in some private windows.'
    : 'Browsers keep keys only for pages from https:// or from this machine.';
}

const getName = (name: string, address: string): string => (name === '' ? `guest-${address.slice(-4)}` : name);

function ownAccount(key: StoredKey, before: Account | undefined): Account {
  const signer = signerOfKey(key);
  const own = isProtected(key);
  return {
    address: key.address,
    name: getName(key.name, key.address),
    kind: 'own',
    isProtected: own,
    signer: before?.isProtected === own ? before.signer : async () => signer,
    seed: () => openSeed(key),
  };
}

async function visitAccount(seed: Uint8Array): Promise<Account> {
  const signer = await signerOfSeed(seed);
  const address = formatAddress(signer.account);
  return { address, name: getName('', address), kind: 'own', signer: async () => signer, seed: async () => seed };
}
