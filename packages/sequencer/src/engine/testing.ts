import { sha256, type TxHash, toHex } from '@switchyard/protocol';
import type {
  Application,
  BlockResult,
  DecidedBlock,
  Genesis,
  PoolView,
  TxResult,
  ValidatorUpdate,
} from '../app/types.ts';

/**
 * A small application for tests of engines: it keeps texts of the form `KEY=VALUE`. A few keys do more: `fail` is
 * executed with code 7, `power` changes the power of the first validator, `validator` adds one, `max-bytes` changes the
 * consensus parameters.
 *
 * The `disk` it is given holds the content of a database, so that a second instance over the same disk is the same
 * application after a crash. Its root depends on the transactions only, not on how they fell into blocks.
 */
export interface Disk {
  height: bigint;
  appHash: Uint8Array;
  values: ReadonlyMap<string, string>;
  genesis: Genesis | undefined;
  /** Every call of the engine, in order: name and height. Never lost. */
  readonly calls: string[];
}

export interface SuiteApp extends Application {
  readonly pool: PoolView;
  /** Runs before a call does anything, and may throw, as a crash at this point would. */
  before: (call: string, height: bigint) => void;
}

export function newDisk(): Disk {
  return { height: 0n, appHash: new Uint8Array(), values: new Map(), genesis: undefined, calls: [] };
}

type State = Readonly<Omit<Disk, 'calls'>>;

export function createSuiteApp(disk: Disk): SuiteApp {
  const pending = new Map<string, Uint8Array>();
  const listeners = new Set<() => void>();
  let base: State = disk;
  let next: State | undefined;

  const app: SuiteApp = {
    before: () => undefined,

    pool: {
      get pendingCount() {
        return pending.size;
      },
      get count() {
        return pending.size;
      },
      get bytes() {
        return [...pending.values()].reduce((sum, tx) => sum + tx.length, 0);
      },
      transactions: (limit) => [...pending.values()].slice(0, limit),
      onPending(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },

    info() {
      note('info', disk.height);
      const { height, appHash } = disk;
      return { data: 'astria_sequencer', version: '0.1.0', appVersion: 1n, height, appHash };
    },

    initChain(genesis) {
      note('initChain', 0n);
      base = { height: 0n, appHash: sha256(Buffer.from(genesis.chainId)), values: new Map(), genesis };
      const { validators, consensusParams } = genesis;
      return { validators, consensusParams, appHash: base.appHash };
    },

    checkTx(tx, _mode) {
      const hash = toHex(sha256(tx)) as TxHash;
      if (!/^[\w-]+=/.test(Buffer.from(tx).toString())) {
        return { code: 20, info: 'bytes are not a transaction', log: 'expected KEY=VALUE', hash };
      }
      pending.set(hash, tx);
      for (const listener of listeners) listener();
      return { code: 0, info: 'ok', log: '', hash };
    },

    prepareProposal({ height, maxTxBytes }) {
      note('prepareProposal', height);
      const chosen: Uint8Array[] = [];
      let left = maxTxBytes - 32;
      for (const tx of pending.values()) {
        left -= tx.length;
        if (left < 0) break;
        chosen.push(tx);
      }
      return [getRoot(chosen), ...chosen];
    },

    processProposal({ height, txs: [root, ...txs] }) {
      note('processProposal', height);
      return root !== undefined && Buffer.compare(root, getRoot(txs)) === 0 ? 'accept' : 'reject';
    },

    finalizeBlock(block) {
      note('finalizeBlock', block.height);
      return execute(block);
    },

    async commit() {
      if (next === undefined) throw new Error('nothing to commit');
      const { height, appHash, values, genesis } = next;
      note('commit', height);
      await Promise.resolve();
      Object.assign(disk, { height, appHash, values, genesis });
      base = next;
      next = undefined;
      return { retainHeight: 0n };
    },

    async query(path, data, height) {
      const value = disk.values.get(path);
      return {
        code: value === undefined ? 8 : 0,
        info: value === undefined ? 'value not found' : 'ok',
        log: data.length > 0 || height !== undefined ? `data=${toHex(data)} height=${height}` : '',
        key: Buffer.from(path),
        value: Buffer.from(value ?? ''),
        height: disk.height,
      };
    },
  };

  function note(call: string, height: bigint): void {
    app.before(call, height);
    disk.calls.push(`${call} ${height}`);
  }

  function execute({ height, txs: [, ...txs] }: DecidedBlock): BlockResult {
    const { genesis } = base;
    let { appHash } = base;
    const values = new Map(base.values);
    const results: TxResult[] = [];
    const validatorUpdates: ValidatorUpdate[] = [];
    let consensusParamUpdates: BlockResult['consensusParamUpdates'];
    for (const tx of txs) {
      const [key = '', value = ''] = Buffer.from(tx).toString().split('=');
      appHash = sha256(appHash, tx);
      values.set(key, value);
      results.push(makeResult(key, value));
      pending.delete(toHex(sha256(tx)));
      const first = genesis?.validators[0];
      if (key === 'power' && first !== undefined) {
        validatorUpdates.push({ publicKey: first.publicKey, power: BigInt(value) });
      }
      if (key === 'validator') validatorUpdates.push({ publicKey: sha256(tx), power: BigInt(value) });
      if (key === 'max-bytes' && genesis !== undefined) {
        const { consensusParams } = genesis;
        consensusParamUpdates = { ...consensusParams, block: { ...consensusParams.block, maxBytes: BigInt(value) } };
      }
    }
    next = { height, appHash, values, genesis };
    return {
      txResults: [makeResult('', ''), ...results],
      validatorUpdates,
      consensusParamUpdates,
      appHash,
      events: txs.length === 0 ? [] : [event('block', { count: String(txs.length) })],
    };
  }

  return app;
}

function makeResult(key: string, value: string): TxResult {
  const failed = key === 'fail';
  return {
    code: failed ? 7 : 0,
    data: failed ? new Uint8Array() : Buffer.from(value),
    // The recorded calls of comet/replay.test.ts have this text.
    log: failed ? 'told to fail' : '',
    info: '',
    gasWanted: 5n,
    gasUsed: 3n,
    events: key === '' ? [] : [event('set', { key, value })],
    codespace: '',
  };
}

function event(type: string, attributes: Readonly<Record<string, string>>) {
  return { type, attributes: Object.entries(attributes).map(([key, value]) => ({ key, value, index: true })) };
}

function getRoot(txs: readonly Uint8Array[]): Uint8Array {
  return sha256(...txs.map((tx) => sha256(tx)));
}
