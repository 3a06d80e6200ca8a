/**
 * A recorded exchange with a real CometBFT, given to the server again without one.
 *
 * `testdata/abci-exchange.json` was recorded from CometBFT 0.38.26 by this command, in which the name of the program is
 * to be filled in:
 *
 *     SWITCHYARD_COMETBFT=… SWITCHYARD_RECORD_ABCI=packages/sequencer/testdata/abci-exchange.json \
 *       npx vitest run --project unit packages/sequencer/src/engine/comet/suite.test.ts -t 'a script|after a restart'
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { abci } from '@switchyard/protocol/gen';
import { expect, test } from 'vitest';
import { createSuiteApp, newDisk } from '../testing.ts';
import { createCometEngine } from './engine.ts';
import type { Recorded } from './record.testing.ts';
import { connectAbci, type TestConnection } from './testing.ts';

const file = new URL('../../../testdata/abci-exchange.json', import.meta.url);
// Written by `record.testing.ts`.
const exchange = JSON.parse(readFileSync(file, 'utf8')) as Recorded[];

const decode = (request: string) => fromBinary(abci.RequestSchema, Buffer.from(request, 'base64')).value;

/** The calls of each start, in order, without the ones about the connection. */
function calls(): { readonly start: string; readonly cases: string[] }[] {
  const starts: { readonly start: string; readonly cases: string[] }[] = [];
  for (const each of exchange) {
    if ('start' in each) starts.push({ start: each.start, cases: [] });
    else starts.at(-1)?.cases.push(decode(each[1]).case ?? 'nothing');
  }
  return starts;
}

test('the answers are the same, byte for byte', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'switchyard-replay-'));
  let disk = newDisk();
  let connections = new Map<number, TestConnection>();
  let stop = async (): Promise<void> => undefined;
  let url = '';
  let answered = 0;
  try {
    for (const each of exchange) {
      if ('start' in each) {
        await stop();
        if (each.start === 'new') disk = newDisk();
        const silent = () => undefined;
        const engine = createCometEngine(
          {
            directory: mkdtempSync(join(directory, 'headers-')),
            listen: { kind: 'tcp', host: '127.0.0.1', port: 0 },
            rpcUrl: 'http://127.0.0.1:9',
          },
          { log: { info: silent, warn: silent, error: silent, debug: silent } },
        );
        const stopping = new AbortController();
        const ended = engine.run(createSuiteApp(disk), stopping.signal);
        stop = async () => {
          stopping.abort();
          await ended;
        };
        ({ url } = await engine.listening());
        connections = new Map();
        continue;
      }
      const [number, request, expected] = each;
      const connection = connections.get(number) ?? (await connectAbci(url));
      connections.set(number, connection);
      const [answer] = await connection.askEncoded([Buffer.from(request, 'base64')]);
      expect(Buffer.from(answer ?? []).toString('base64'), JSON.stringify(decode(request).case)).toBe(expected);
      answered += 1;
    }
  } finally {
    await stop();
    rmSync(directory, { recursive: true, force: true });
  }
  expect(answered).toBeGreaterThan(40);
});

/** One letter for each call that the ABCI grammar knows. */
const LETTERS: Readonly<Record<string, string>> = {
  info: 'i',
  initChain: 'n',
  prepareProposal: 'p',
  processProposal: 'r',
  finalizeBlock: 'f',
  commit: 'c',
};

test('its calls come in the order of the published grammar', () => {
  const consensus = calls().map(({ start, cases }) => [start, cases.map((each) => LETTERS[each] ?? '').join('')]);
  // A handshake; then heights, each of rounds with at most one proposal prepared and one processed, a decision and a commit.
  const heights = '((p?r?)*fc)*(p?r?)*f?$';
  for (const [start, letters] of consensus) {
    expect(letters).toMatch(new RegExp(start === 'new' ? `^in${heights}` : `^i${heights}`));
  }
  expect(consensus.map(([start]) => start)).toEqual(['new', 'new', 'again']);
  expect(new Set(calls().flatMap(({ cases }) => cases))).toEqual(
    new Set(['echo', 'flush', 'checkTx', ...Object.keys(LETTERS)].filter((each) => each !== 'echo')),
  );
});
