import { formatAddress, plainJson } from '@switchyard/protocol';
import { type AnyRoute, type BodyForm, route, schema } from '@switchyard/service/api';
import { getNames } from '../asset-names.ts';
import type { RollupAction, RollupDefinition } from '../definition.ts';
import type { RollupNode } from '../node.ts';
import { decodeTransaction } from '../transaction.ts';
import { address, hash } from './schemas.ts';
import { SUBMISSION, type Submission } from './submission.ts';

const action = schema.object(
  { kind: schema.text('One of the kinds that this rollup has') },
  { name: 'Action', isOpen: true },
);

const decodedSchema = schema.object(
  {
    hash: hash('Hash of the transaction'),
    signer: address,
    nonce: schema.integer('How many transactions of the signer must come before'),
    chainId: schema.text('Chain that it was signed for'),
    actions: schema.list(action),
  },
  { name: 'DecodedTransaction' },
);

const octets: BodyForm<Submission> = SUBMISSION['application/octet-stream'];

/**
 * Decodes a transaction into the terms of its rollup. With this, an explorer shows transactions of a rollup of which it
 * knows nothing but the framework.
 */
export function decodeRoute(definition: RollupDefinition, node: RollupNode): AnyRoute {
  return route({
    method: 'post',
    url: '/v1/transactions:decode',
    id: 'decodeTransaction',
    tag: 'Transactions',
    summary: 'Contents of a transaction; nothing is submitted',
    description:
      'An action has its kind and the members of that kind: amounts as decimal text, bytes in hex, assets and addresses by name. The signature is not verified',
    body: { 'application/octet-stream': octets },
    answers: { 200: decodedSchema },
    handle({ body }) {
      const bytes = body.kind === 'one' ? body.bytes : new Uint8Array();
      const { transaction } = decodeTransaction(definition, bytes, false);
      const { hash: id, signer, nonce, chainId, actions } = transaction;
      const getName = getNames(node.view.snapshot);
      const toJson = (each: RollupAction) =>
        (definition.actionJson?.(each, getName) ?? plainJson(each)) as { readonly kind: string };
      const shown = actions.map(toJson);
      return { status: 200, body: { hash: id, signer: formatAddress(signer), nonce, chainId, actions: shown } };
    },
  });
}
