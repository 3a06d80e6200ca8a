import { createSigner, fromHex } from '@switchyard/protocol';
import { bodyBytes, json, type RollupNode } from '@switchyard/rollup';
import { HttpError } from '@switchyard/service';
import { InvalidData, object, parseInput, text } from '@switchyard/service/input';
import type { Hono } from 'hono';
import type { MessengerEvent } from '../actions/handler.ts';
import { signText } from '../client/sign-text.ts';
import type { MessengerGenesis } from '../genesis.ts';

/** Key of the development account alice: public, and the one that the original messenger signs with. */
const DEVELOPMENT_KEY = '2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90';

const message = object({ sender: text, message: text }, { exact: true });

/**
 * The route of the original web page, which signs for whoever posts there. A node does that only where its settings mark
 * it as one for development; others hold no keys.
 */
export function unsignedMessageRoute(
  app: Hono,
  node: RollupNode<MessengerEvent>,
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
    const submitted = last.then(() => {
      const nonce = node.nextNonce(signer.account);
      return node.submit(signText({ nonce, chainId, text: words, from: sender, feeAsset: nativeAsset.text }, signer));
    });
    last = submitted.catch(() => undefined);
    await submitted;
    return json(`text ${JSON.stringify(words)} submitted to sequencer`);
  });
}

function readMessage(body: Uint8Array) {
  try {
    return message(parseInput(new TextDecoder().decode(body), 'body'));
  } catch (error) {
    if (!(error instanceof InvalidData)) throw error;
    throw new HttpError(400, 'malformed', error.message.replaceAll('\n', '; '));
  }
}
