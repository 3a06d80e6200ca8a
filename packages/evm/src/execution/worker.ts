import { parentPort, workerData } from 'node:worker_threads';
import type { Signature } from '@switchyard/evm-machine/recover';
import type { Address } from '@switchyard/evm-machine/types';
import { type BackgroundData, findExitCode } from '@switchyard/service';
import { ChainStore } from '../chain/store.ts';
import { openDatabaseInThread } from '../database/lmdb.ts';
import { EmbeddedExecutor } from '../embedded/executor.ts';
import { AddressIndex } from '../explorer/index/address-index.ts';
import { packSignatures, unpackSenders } from '../senders/packing.ts';
import { Senders } from '../senders/senders.ts';
import { StateStore } from '../state/store.ts';
import {
  type ExecutionCalls,
  type ExecutionThreadData,
  type FromExecution,
  type ToExecution,
  writtenError,
} from './messages.ts';
import { Remapping } from './remapping.ts';

/* The thread that executes blocks and writes them to the node's database. */

const { data } = workerData as BackgroundData<ExecutionThreadData>;
const { directory, genesis, safe, retention, residentBytes } = data;
const remapping = new Remapping(data.remapping);
const send = (message: FromExecution): void => parentPort?.postMessage(message);

const database = openDatabaseInThread(directory, {
  ...(residentBytes !== undefined && { residentBytes }),
  onDamage: (error) => send({ kind: 'damaged', error: writtenError(error, findExitCode(error)) }),
  remap(opened) {
    remapping.begin();
    send({ kind: 'remap' });
    if (remapping.isReaderClosed()) opened.remap(() => remapping.release());
  },
});
const state = new StateStore(database);
const indexers = [new AddressIndex(database)];
// Blocks are read in the other thread.
const options = { chainId: genesis.chainId, safe, indexers, retention, recentBytes: 0 };
const chain = new ChainStore(database, state, options);
chain.onCommit(({ blocks }) => {
  const { commitments, lowest } = chain;
  const first = blocks[0]?.block.header.number ?? commitments.soft + 1n;
  send({ kind: 'moved', moved: { commitments, lowest, first } });
});

const recovering = new Map<number, (senders: readonly (Address | undefined)[]) => void>();
let recoveries = 0;
const senders = new Senders((signatures: readonly Signature[]) => {
  recoveries += 1;
  const id = recoveries;
  send({ kind: 'recover', id, signatures: packSignatures(signatures) });
  return new Promise((resolve) => recovering.set(id, resolve));
});
const executor = new EmbeddedExecutor({ genesis, database, state, chain, senders });
const calls: ExecutionCalls = {
  state: () => executor.state(),
  block: (query) => executor.block(query),
  inputDigest: (number) => executor.inputDigest(number),
  execute: (parent, input) => executor.execute(parent, input),
  executeBatch: (parent, inputs, options) => executor.executeBatch(parent, inputs, options),
  commit: (commitments) => executor.commit(commitments),
  proof: async (block, address, slots) => chain.proof(block, address, slots),
};

async function answer({ id, name, parameters }: ToExecution & { readonly kind: 'call' }): Promise<void> {
  try {
    // Parameters are those of the method of that name, which the other thread has called.
    const call = calls[name] as (...given: unknown[]) => Promise<unknown>;
    send({ kind: 'answer', id, result: await call(...parameters) });
  } catch (error) {
    send({ kind: 'error', id, error: writtenError(error, findExitCode(error)) });
  }
}

parentPort?.on('message', (message: ToExecution) => {
  switch (message.kind) {
    case 'call':
      void answer(message);
      return;
    case 'senders':
      for (const [hash, address] of message.found) senders.learn(hash, address);
      return;
    case 'recovered':
      recovering.get(message.id)?.(unpackSenders(message.senders));
      recovering.delete(message.id);
      return;
    case 'close':
      void database.close().then(() => send({ kind: 'closed' }));
  }
});
