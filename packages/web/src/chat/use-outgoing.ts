import { type AsyncSigner, toHex } from '@switchyard/protocol';
import { useEffect, useReducer, useRef, useState } from 'react';
import { repeat } from '../ui/repeat.ts';
import { readStored, writeSetting } from '../ui/settings.ts';
import { findOutcome, type NodeStatus, node } from './api.ts';
import { deliver, getProgress } from './delivery.ts';
import { type Intent, isHeld, type Outgoing, reduceOutgoing } from './outgoing.ts';
import { decodeOutgoing, encodeOutgoing } from './outgoing-record.ts';

const NAME = 'chat/outgoing';
const RETRY_MS = 2_000;
const LOOK_MS = 1_000;
/** Executed messages that are followed until they are final, on a chain on which that takes long. */
const MAX_UNTIL_FIRM = 5;

export interface OutgoingQueue {
  readonly all: readonly Outgoing[];
  readonly send: (account: string, intent: Intent) => void;
  readonly retry: (key: string) => void;
  readonly dismiss: (key: string) => void;
}

interface Options {
  readonly isConnected: boolean;
  readonly status: NodeStatus | undefined;
  readonly getSigner: (address: string) => Promise<AsyncSigner> | undefined;
  /** False for an account without coins, whose messages wait for the first ones. */
  readonly canPay: (address: string) => boolean;
}

/** The transactions of this page, passed on in order, one after the other, and followed until they are final. */
export function useOutgoing({ isConnected, status, getSigner, canPay }: Options): OutgoingQueue {
  const [all, dispatch] = useReducer(reduceOutgoing, undefined, restore);
  const [turn, setTurn] = useState(0);
  const isBusy = useRef(false);
  const waiting = all.find((one) => one.state === 'waiting' && !isHeld(one, canPay));

  useEffect(() => writeSetting('page', NAME, encodeOutgoing(all)), [all]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a step once begun is finished, regardless of other changes
  useEffect(() => {
    if (!isConnected || status === undefined || waiting === undefined || isBusy.current) return;
    isBusy.current = true;
    const { nativeAsset } = status;
    const again = () => {
      isBusy.current = false;
      setTurn((before) => before + 1);
    };
    deliver(waiting, { ...node, nativeAsset, getSigner, getOutcome: findOutcome }).then(
      (event) => {
        dispatch(event);
        again();
      },
      () => {
        if (waiting.signed !== undefined) dispatch({ kind: 'tried', key: waiting.key });
        window.setTimeout(again, RETRY_MS);
      },
    );
  }, [isConnected, status, waiting, turn]);

  const executed = all.filter(({ state }) => state === 'executed').slice(-MAX_UNTIL_FIRM);
  const followed = [...all.filter(({ state }) => state === 'accepted' || state === 'ordered'), ...executed];
  const hashes = followed.map(({ key, signed }) => `${key} ${signed?.hash ?? ''}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the hashes are those of the followed ones
  useEffect(() => {
    if (!isConnected || hashes === '') return;
    return repeat(async (isOver) => {
      for (const { key, signed } of followed) {
        const outcome = signed && (await findOutcome(signed).catch(() => undefined));
        if (isOver()) return undefined;
        if (outcome !== undefined) dispatch(getProgress(key, outcome));
      }
      return LOOK_MS;
    });
  }, [isConnected, hashes]);

  return {
    all,
    send: (account, intent) => dispatch({ kind: 'wanted', key: newKey(), account, intent }),
    retry: (key) => dispatch({ kind: 'retry', key }),
    dismiss: (key) => dispatch({ kind: 'dismissed', key }),
  };
}

const newKey = (): string => toHex(crypto.getRandomValues(new Uint8Array(8)));

function restore(): readonly Outgoing[] {
  const all = readStored('page', NAME, decodeOutgoing) ?? [];
  // Messages that were executed are among those of the chain, or older than the loaded ones.
  return all.filter(({ intent, state }) => intent.kind !== 'text' || (state !== 'executed' && state !== 'firm'));
}
