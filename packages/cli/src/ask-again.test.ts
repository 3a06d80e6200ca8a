import { JsonRpcError, TransportFailure } from '@switchyard/service';
import { expect, test } from 'vitest';
import { askAgain } from './ask-again.ts';

/** A question that fails with these errors, one each, and is then answered. */
function question(...errors: readonly Error[]) {
  let wanted = 0;
  const ask = async () => {
    const error = errors[wanted];
    wanted += 1;
    if (error !== undefined) throw error;
    return 'answer';
  };
  return { ask, asked: () => wanted };
}

const lost = (code: string) => new TransportFailure('lost', { cause: Object.assign(new Error(code), { code }) });

test('an answer that was lost is asked for again, a few times', async () => {
  const { ask, asked: wanted } = question(lost('ECONNRESET'), lost('ECONNRESET'));
  expect([await askAgain(ask), wanted()]).toEqual(['answer', 3]);
  const never = question(...[1, 2, 3, 4].map(() => lost('ECONNRESET')));
  await expect(askAgain(never.ask)).rejects.toThrow('lost');
  expect(never.asked()).toBe(3);
});

test.each([
  ['no process listens', lost('ECONNREFUSED')],
  ['the node answers with an error', new JsonRpcError(-32_603, 'Internal error')],
])('where %s, the error is thrown at once', async (_, error) => {
  const { ask, asked: wanted } = question(error);
  await expect(askAgain(ask)).rejects.toBe(error);
  expect(wanted()).toBe(1);
});
