import type { AccountId } from '@switchyard/protocol';
import { toJson } from '@switchyard/service';
import type { RollupDefinition } from '../definition.ts';
import { refusalAt } from '../outcome-queries.ts';
import { openReceipts } from '../outcomes.ts';
import type { Part } from './part.ts';

/** Outcomes of the transactions that an account has signed. */
export function receiptsPart(definition: Pick<RollupDefinition, 'refusalJson'>, account: AccountId): Part {
  return {
    name: `receipts ${account}`,
    begin: ({ soft: block }) => ({ block, isOpen: true, count: 0 }),
    read({ snapshot, soft }, place, changesBehind) {
      const found = changesBehind(place.block);
      const receipts = (found?.blocks ?? []).flatMap(({ number: block, bySigner }) => {
        const own = bySigner.get(account);
        if (own === undefined) return [];
        const getReceipt = openReceipts(snapshot, block);
        return own.flatMap((index) => {
          const receipt = getReceipt(index);
          if (receipt === undefined) return [];
          const { hash, code } = receipt;
          const refused = code === 0 ? { code } : refusalAt(snapshot, definition, { block, index, code });
          return { hash, block: String(block), index, ...refused };
        });
      });
      const block = found?.to ?? soft;
      const next = { block, isOpen: block < soft, count: 0 };
      const again =
        found === undefined ? `the receipts after block ${place.block} are not listed by this node` : place.again;
      if (again === undefined && !place.isOpen && !next.isOpen && receipts.length === 0) return { next };
      const members = { ...(again !== undefined && { again }), receipts, isWhole: !next.isOpen };
      return { members: toJson(members).slice(1, -1), next };
    },
  };
}
