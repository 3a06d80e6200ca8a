/** Targets of attacks. Every name is one port of the local network. */
export type Service = 'messenger' | 'evm' | 'evmWs' | 'rpc' | 'grpc' | 'collector' | 'execution' | 'faucet';

export type Ports = Readonly<Record<Service, number>>;

export interface AttackContext {
  readonly ports: Ports;
  /** The attacker's own address: another one of this machine than that of the honest users. */
  readonly from: string;
  /** Ends the attack. */
  readonly over: AbortSignal;
  /** One more unit of the attack was done. */
  readonly count: (what?: number) => void;
  /** Transactions that the attacker may use, made before the attack so that making them is no part of it. */
  readonly material: Material;
}

/** Bytes of transactions, and other facts about the chains known to the attacker. */
export interface Material {
  readonly messengerChain: string;
  readonly sequencerChain: string;
  /** Height of a sequencer block of 10 MB. */
  readonly largeBlock: number;
}

export type Attack = (context: AttackContext) => Promise<void>;

export interface FloodKind {
  readonly name: string;
  readonly service: Service;
  readonly what: string;
  readonly attack: Attack;
}

/** Runs `work` again and again in this many lanes until the attack is over. Errors are the point of it. */
export async function lanes(
  count: number,
  { over }: AttackContext,
  work: (lane: number) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, lane) => {
      while (!over.aborted) {
        await work(lane).catch(() => undefined);
        // Synchronous failures must not keep the end from being noticed.
        await new Promise(setImmediate);
      }
    }),
  );
}

export function startOver({ over }: AttackContext): Promise<void> {
  return new Promise((resolve) => {
    if (over.aborted) resolve();
    else over.addEventListener('abort', () => resolve(), { once: true });
  });
}

export const rest = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
