import { RollupRefused, requestPath } from '@switchyard/client/rollup';
import { getState } from '@switchyard/client/rollup-contract';
import {
  DEFAULT_PREFIX,
  formatAddress,
  fromHex,
  REJECTION_CODES,
  type Signer,
  toHex,
  txHashOf,
} from '@switchyard/protocol';
import { signTransaction, type UntypedClient } from '@switchyard/rollup/client';
import type { FaucetConfig } from '../config.ts';
import type { Payer } from '../payer.ts';
import { parseSequencerAddress } from '../sequencer/address.ts';
import { getPayment, toFee } from './payment.ts';

const { expired: EXPIRED, 'nonce-too-high': TOO_EARLY } = REJECTION_CODES;

/**
 * Pays in an asset of a rollup by schemas, with an action of its definition. A payment is executed by its last block, or never.
 *
 * @param connect Makes a client from the definition that the node has now.
 */
export function rollupPayer(
  signer: Signer,
  { action, asset }: Pick<FaucetConfig, 'action' | 'asset'>,
  connect: () => Promise<UntypedClient>,
): Payer {
  const own = formatAddress(signer.account);
  return {
    account: own,
    close: () => undefined,
    recipient: (text) => formatAddress(parseSequencerAddress(text, DEFAULT_PREFIX)),

    async funds(signal) {
      const { contract, rollup } = await connect();
      getPayment(contract, action);
      const [{ rollup: name, chainId }, { hash }] = await Promise.all([
        rollup.status(signal),
        rollup.block(0n, signal),
      ]);
      // In this order payments of a block in between are counted twice, and never as not paid.
      const nonce = await rollup.nonce(own, { committed: true, signal });
      const key = `${own}/${asset}`;
      const held = await rollup.get(requestPath(getState, { table: 'balances', key }), signal);
      // A chain that was begun again may have the same id.
      return {
        chain: `${chainId} ${hash}`,
        chainId,
        rollup: name,
        nonce,
        balance: held.at('decoded').big(),
        fee: toFee(contract, asset),
      };
    },

    async sign({ to, amount, nonce }, signal) {
      const { contract, rollup } = await connect();
      const { body } = await rollup.toSign(own, undefined, signal);
      const actions = [getPayment(contract, action)({ to, amount, asset })];
      const bytes = await signTransaction(contract, { ...body, nonce, actions }, signer);
      return { hash: txHashOf(bytes), bytes: toHex(bytes), cost: amount + toFee(contract, asset) };
    },

    async send({ bytes }, signal) {
      const { rollup } = await connect();
      try {
        await rollup.submit(fromHex(bytes), signal);
        return { kind: 'held' };
      } catch (error) {
        if (!(error instanceof RollupRefused)) throw error;
        const reason = `the rollup refused: ${error.message.slice(0, 300)}`;
        return { kind: error.code === 'expired' ? 'expired' : 'later', reason };
      }
    },

    async outcome(payments, _nonce, signal) {
      const { rollup } = await connect();
      let isReplaced = false;
      for (const { hash } of payments) {
        const { state, block = 0n, code } = (await rollup.transaction(hash, signal)) ?? {};
        if (state === 'executed' || state === 'firm') return { kind: 'paid', hash, block };
        // It moved nothing, and its nonce is spent, unless its bytes were in a block too late or too early.
        isReplaced ||= state === 'refused' && code !== EXPIRED && code !== TOO_EARLY;
      }
      return { kind: isReplaced ? 'replaced' : 'unknown' };
    },
  };
}
