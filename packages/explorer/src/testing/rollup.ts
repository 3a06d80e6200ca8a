import { rollupIdFromName, sha256, toHex, txHashOf } from '@switchyard/protocol';
import { TransportFailure } from '@switchyard/service';
import type { RollupBlock, RollupNode } from '../rollups/rollup-node.ts';

export const getHash = (text: string) => toHex(sha256(new TextEncoder().encode(text)));

/** A rollup whose blocks a test makes; each third one refuses a transaction and skips a deposit. */
export class TestRollup {
  isAway = false;
  chain = 'one';
  soft = 0;
  lowest = 1;
  /** How often its head was queried. */
  asked = 0;

  readonly node: RollupNode = {
    url: 'http://rollup.test',
    head: async () => {
      this.asked += 1;
      this.#mustAnswer();
      const { soft, lowest } = this;
      return { name: 'chat', id: rollupIdFromName('chat'), chainId: 'chat', soft, firm: soft, lowest };
    },
    blocks: async (from, most, signal) => {
      const numbers = Array.from({ length: Math.min(most, 4) }, (_, index) => from + index);
      return Promise.all(numbers.map((number) => this.node.block(number, signal)));
    },
    block: async (number): Promise<RollupBlock> => {
      this.#mustAnswer();
      if (number > this.soft || number < this.lowest) throw new Error(`no block ${number}`);
      const refusals =
        number % 3 === 0 ? [{ index: 1, hash: txHashOf(new Uint8Array([number])), code: 7, reason: 'bad' }] : [];
      return {
        number,
        hash: getHash(`${this.chain} ${number}`),
        parentHash: getHash(`${this.chain} ${number - 1}`),
        time: number * 1_000,
        sequencerBlockHash: getHash(`sequencer ${number}`),
        executed: 1,
        refused: refusals.length,
        deposits: 0,
        skippedDeposits: refusals.length,
        refusals,
      };
    },
    findHash: async (number, signal) => (await this.node.block(number, signal)).hash,
    skippedDeposits: async (after = 0) => {
      this.#mustAnswer();
      const last = Math.floor(this.soft / 3);
      return Array.from({ length: Math.max(0, last - after) }, (_, index) => {
        const id = after + 1 + index;
        return { id, block: 3 * id, transaction: txHashOf(new Uint8Array([id])), action: 0, reason: 'unknown bridge' };
      });
    },
    get: async () => undefined,
    offers: async () => undefined,
    decode: async () => undefined,
  };

  #mustAnswer(): void {
    if (this.isAway) throw new TransportFailure('no answer');
  }
}
