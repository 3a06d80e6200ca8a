import { test } from 'vitest';

test('forgets an error', async () => {
  void Promise.reject(new Error('forgotten by a test'));
  await new Promise((resolve) => setImmediate(resolve));
});
