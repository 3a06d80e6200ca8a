import type { RpcContext } from '@switchyard/service/json-rpc';
import { expect, test } from 'vitest';
import { DevelopmentInNetwork, type NetworkControls } from './in-network.ts';

/** A network that can be reverted, and nothing else. */
function makeNetwork(reverted: unknown[]): NetworkControls {
  const fail = (): never => {
    throw Object.assign(new Error('the stores of explorer are in files'), { name: 'BadOptions' });
  };
  return {
    ...{ isManual: true, aheadMs: 0, isDriven: true },
    ...{ advance: fail, nextBlockAt: fail, mine: fail },
    snapshot: () => `snapshot after ${reverted.length}`,
    async revert(snapshot) {
      reverted.push(snapshot);
    },
  };
}

function makeContext(isWebSocket: boolean, outlast: () => void): RpcContext {
  const from = { peer: '', page: undefined, turn: async () => undefined, isGone: () => false, cutOff: () => undefined };
  const none = () => undefined;
  const subscriber = { peer: '', notify: none, send: none, close: none, onEnd: none };
  return {
    from: isWebSocket ? from : { ...from, outlast },
    ...{ subscriber: isWebSocket ? subscriber : undefined, isOver: () => false, afterAnswer: () => undefined },
  };
}

test('a call that ends all connections is refused over one that it would end, and its snapshot stays', async () => {
  const reverted: unknown[] = [];
  let isOutlasting = false;
  const outlast = () => {
    isOutlasting = true;
  };
  const [webSocket, http] = [makeContext(true, outlast), makeContext(false, outlast)];
  const node = new DevelopmentInNetwork(makeNetwork(reverted));
  const id = node.snapshot();
  await expect(node.revert(id, webSocket)).rejects.toMatchObject({
    rpcMessage: expect.stringContaining('over HTTP, not over WebSocket'),
  });
  expect(await node.revert(id + 1n, webSocket)).toBe(false);
  expect({ reverted, isOutlasting }).toEqual({ reverted: [], isOutlasting: false });
  expect(await node.revert(id, http)).toBe(true);
  expect({ reverted, isOutlasting }).toEqual({ reverted: ['snapshot after 0'], isOutlasting: true });
  expect(await node.revert(id, http)).toBe(false);
});

test('what the network refuses is an error for the client, and the next call is answered', async () => {
  const node = new DevelopmentInNetwork(makeNetwork([]));
  await expect(node.exclusive(() => node.moveTime(1n))).rejects.toMatchObject({
    code: -32_000,
    rpcMessage: 'the stores of explorer are in files',
  });
  expect(await node.exclusive(() => node.snapshot())).toBe(1n);
});
