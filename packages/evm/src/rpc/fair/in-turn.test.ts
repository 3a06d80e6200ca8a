import { rpcContext } from '@switchyard/service/testing';
import { expect, test } from 'vitest';
import { longInTurn } from './in-turn.ts';

const of = (peer: string) => rpcContext({ peer });

function world() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const methods = longInTurn(
    {
      eth_call: (params) => {
        begun.push(String(params));
        return new Promise((end) => void ends.push(() => end(params)));
      },
      eth_blockNumber: () => '0x1',
    },
    { atATime: 4, atATimeOfClient: 2, maxWaiting: 6, maxWaitingOfClient: 3 },
  );
  const call = async (client: string, params: string) => methods.eth_call?.(params, of(client));
  return { begun, ends, methods, call };
}

test('a flood of calls from one client holds up neither the calls of others nor what is short', async () => {
  const { begun, ends, methods, call } = world();
  const flood = ['f1', 'f2', 'f3', 'f4', 'f5'].map((params) => call('flood', params));
  const honest = call('honest', 'h1');
  expect(begun).toEqual(['f1', 'f2', 'h1']);
  expect(methods.eth_blockNumber?.([], of('flood'))).toBe('0x1');
  await expect(call('flood', 'f6')).rejects.toMatchObject({
    code: -32_005,
    rpcMessage: '3 calls of flood are waiting already: wait for answers before you ask for more',
  });
  expect(begun).not.toContain('f6');
  ends[2]?.();
  expect(await honest).toBe('h1');
  for (let at = 0; at < 6; at++) {
    ends[at]?.();
    await new Promise(setImmediate);
  }
  expect(await Promise.all(flood)).toEqual(['f1', 'f2', 'f3', 'f4', 'f5']);
});
