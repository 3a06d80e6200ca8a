import { parentPort } from 'node:worker_threads';
import { recoverSender } from '@switchyard/evm-machine/recover';
import { packSenders, unpackSignatures } from './packing.ts';

/* A thread that does nothing but find out who signed. It answers every message in order. */
parentPort?.on('message', (packed: Uint8Array) => {
  const senders = packSenders(unpackSignatures(packed).map(recoverSender));
  parentPort?.postMessage(senders, [senders.buffer]);
});
