import { blocksBehind } from '@switchyard/client/rollup';
import { createSigner, fromHex, Rejected } from '@switchyard/protocol';
import { bodyBytes, json, type RollupNode } from '@switchyard/rollup/node';
import { HttpError } from '@switchyard/service';
import { InvalidData, object, parseInput, text } from '@switchyard/service/input';
import type { Hono } from 'hono';
import { sign } from '../client/sign.ts';
import type { MessengerGenesis } from '../genesis.ts';
import { MAX_NAME_BYTES, MAX_TEXT_BYTES } from '../limits.ts';

/** Key of the development account alice: public, and used by the original messenger to sign. */
const DEVELOPMENT_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';

const message = object({ sender: text, message: text }, { exact: true });

/**
 * The route of the original web page, which signs for every caller. A node does that only if its settings mark
 * it as a development node; others hold no keys.
 */
export function unsignedMessageRoute(
  app: Hono,
  node: RollupNode,
  genesis: Pick<MessengerGenesis, 'chainId' | 'nativeAsset'>,
  isDevelopment: boolean,
): void {
  if (!isDevelopment) {
    app.post('/message', () => {
      const advice = 'sign the message with your own and POST it to /submit_transaction';
      throw new HttpError(410, 'unsigned', `this node holds no keys: ${advice}`);
    });
    return;
  }
  const signer = createSigner(fromHex(DEVELOPMENT_KEY));
  const { chainId, nativeAsset } = genesis;
  // One after the other: each needs the nonce behind the one before.
  let last: Promise<unknown> = Promise.resolve();
  app.post('/message', async (c) => {
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'application/json';
    if (type !== 'application/json')
      throw new HttpError(415, 'unsupported-media-type', `expected application/json, got ${type.slice(0, 100)}`);
    const { sender, message: words } = readMessage(await bodyBytes(c));
    mustFit('text', words, MAX_TEXT_BYTES);
    mustFit('name', sender, MAX_NAME_BYTES);
    const submitted = last.then(() => {
      const nonce = node.nextNonce(signer.account);
      const action = { kind: 'sendText' as const, text: words, name: sender, feeAsset: nativeAsset };
      const lastBlock = blocksBehind(node.view.soft)?.last;
      return node.submit(sign({ nonce, chainId, actions: [action], lastBlock }, signer));
    });
    last = submitted.catch(() => undefined);
    await submitted;
    return json(`text ${JSON.stringify(words)} submitted to sequencer`);
  });
}

function mustFit(field: string, text: string, limit: number): void {
  const got = Buffer.byteLength(text);
  if (got > limit) throw new Rejected('too-large', { field, limit: `${limit} bytes`, got: `${got} bytes` });
}

function readMessage(body: Uint8Array) {
  try {
    return message(parseInput(new TextDecoder().decode(body), 'body'));
  } catch (error) {
    if (!(error instanceof InvalidData)) throw error;
    throw new HttpError(400, 'malformed', error.message.replaceAll('\n', '; '));
  }
}
