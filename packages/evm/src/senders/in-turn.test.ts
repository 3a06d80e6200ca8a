import type { Address, Hash } from '@switchyard/evm-machine/types';
import { expect, test } from 'vitest';
import { SendersInTurn } from './in-turn.ts';
import type { Senders } from './senders.ts';

type Asked = Parameters<Senders['ofAll']>[0];

const makeQuestion = (n: number): Asked[number] => ({
  hash: `0x${n.toString(16).padStart(64, '0')}`,
  signature: { r: new Uint8Array(32), s: new Uint8Array(32), yParity: 0, digest: new Uint8Array(32) },
});
const makeSender = (hash: Hash): Address => `0x${hash.slice(-40)}`;

/** Each call is pending until the test answers it or fails it. */
function slowSenders() {
  const calls: { readonly asked: Asked; answer(): void; fail(): void }[] = [];
  const ofAll: Senders['ofAll'] = (wanted) =>
    new Promise((resolve, reject) => {
      calls.push({
        asked: wanted,
        answer: () => resolve(wanted.map(({ hash }) => makeSender(hash))),
        fail: () => reject(new Error('no threads')),
      });
    });
  return { calls, ofAll };
}

const turn = () => new Promise(setImmediate);

test('what is asked in one turn is looked for together, what comes meanwhile together after it', async () => {
  const senders = slowSenders();
  const inTurn = new SendersInTurn(senders);
  const order: number[] = [];
  const ask = (n: number) => inTurn.of(makeQuestion(n)).then((sender) => order.push(Number(sender)));
  const wanted = [ask(1), ask(2)];
  await turn();
  wanted.push(ask(3), ask(4), ask(5));
  await turn();
  expect(senders.calls.map((call) => call.asked.length)).toEqual([2]);
  senders.calls[0]?.answer();
  await Promise.all(wanted.slice(0, 2));
  await turn();
  expect(senders.calls.map((call) => call.asked.length)).toEqual([2, 3]);
  senders.calls[1]?.answer();
  await Promise.all(wanted);
  expect(order).toEqual([1, 2, 3, 4, 5]);
});

test('a failure reaches those who asked, and not the next ones', async () => {
  const senders = slowSenders();
  const inTurn = new SendersInTurn(senders);
  const first = inTurn.of(makeQuestion(1));
  await turn();
  senders.calls[0]?.fail();
  await expect(first).rejects.toThrow('no threads');
  const second = inTurn.of(makeQuestion(2));
  await turn();
  await turn();
  senders.calls[1]?.answer();
  expect(await second).toBe(makeSender(makeQuestion(2).hash));
});
