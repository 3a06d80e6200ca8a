import { AsyncLocalStorage } from 'node:async_hooks';
import type { Address, Hash } from '@switchyard/evm-machine/types';
import type { Logger } from '@switchyard/service';
import type { NewBlock } from '../../chain/store.ts';
import { findRecipient } from '../../json/format-transaction.ts';
import type { RpcMethods } from '../../rpc/deps.ts';
import { wrapped } from '../../rpc/marks.ts';
import type { Followed } from './followed.ts';

interface Call {
  /** Undefined for a creation. */
  readonly to: Address | undefined;
  readonly gasUsed: bigint;
}

/** Logs transactions and calls of a node for tests, with the output of contracts. */
export class Activity {
  /** Whether anything is logged. */
  isEnabled: boolean;
  readonly #log: Pick<Logger, 'enabled' | 'info'>;
  readonly #method = new AsyncLocalStorage<string>();

  constructor(log: Pick<Logger, 'enabled' | 'info'>) {
    this.#log = log;
    this.isEnabled = log.enabled('info');
  }

  /** Method of the request that is being answered; undefined outside of one. */
  get method(): string | undefined {
    return this.#method.getStore();
  }

  /** The methods, whose name is in the lines about their runs. */
  named(methods: RpcMethods): RpcMethods {
    return wrapped(
      methods,
      (name, method) =>
        (...call) =>
          this.#method.run(name, () => method(...call)),
    );
  }

  /** @param methods By which each transaction was sent. */
  block(
    { block, receipts }: Pick<NewBlock, 'block' | 'receipts'>,
    followed: ReadonlyMap<Hash, Followed>,
    methods: ReadonlyMap<Hash, string | undefined>,
  ): void {
    if (!this.isEnabled) return;
    for (const [index, { hash, from, raw }] of block.transactions.entries()) {
      const receipt = receipts[index];
      if (receipt === undefined) continue;
      const { printed = [], failure } = followed.get(hash) ?? {};
      this.#print(printed);
      const { status, gasUsed, contractAddress: contract } = receipt;
      const what = {
        method: methods.get(hash) ?? this.method,
        ...{ hash, from },
        ...(contract === undefined ? { to: findRecipient(raw) } : { contract }),
        ...{ gasUsed, block: block.header.number },
      };
      if (status === 1) this.#log.info(what, 'transaction executed');
      else this.#log.info({ ...what, ...failure }, 'transaction failed');
    }
  }

  /** @param what Begins the sentence: a call or an estimate. */
  call(what: 'call' | 'gas estimate', { printed, failure }: Followed, call: Call): void {
    if (!this.isEnabled) return;
    this.#print(printed);
    const fields = { method: this.method, ...call };
    if (failure === undefined) this.#log.info(fields, `${what} executed`);
    else this.#log.info({ ...fields, ...failure }, `${what} failed`);
  }

  /** Blocks that are gone or others. */
  blocks(fields: Readonly<Record<string, bigint>>, sentence: string): void {
    if (this.isEnabled) this.#log.info({ method: this.method, ...fields }, sentence);
  }

  #print(lines: readonly string[]): void {
    for (const line of lines) this.#log.info({ line }, 'console.log');
  }
}
