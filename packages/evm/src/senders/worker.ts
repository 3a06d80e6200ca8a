import { parentPort } from 'node:worker_threads';
import { packSenders, unpackSignatures } from './packing.ts';
import { recoverSender } from './recover.ts';

/* A thread that does nothing but find out who signed. It answers every message in order. */
parentPort?.on('message', (packed: Uint8Array) => {
  const senders = packSenders(unpackSignatures(packed).map(recoverSender));
  parentPort?.postMessage(senders, [senders.buffer]);
});
