import { expect, test } from 'vitest';
import { text } from '../schema/scalars.ts';
import { union } from '../schema/shapes.ts';
import { wireDecoder } from './definitions.browser.ts';
import { wireEncoder } from './wire-body.ts';

// Defect: a page forgot the actions in its outbox when it was loaded again, if its rollup has a wire form of its own
test('a page that executes no blocks reads the bodies of a wire form that it has written', () => {
  const action = union({ write: { words: text({ maxBytes: 100 }) } });
  const body = { nonce: 0, chainId: 'chat-1', lastBlock: undefined, actions: [{ kind: 'write', words: 'kept' }] };
  const bytes = wireEncoder(action, 10).encode(body);
  expect(wireDecoder(action, 10)(bytes)).toEqual(body);
  expect(() => wireDecoder(action, 10)(bytes.subarray(1))).toThrow();
});
