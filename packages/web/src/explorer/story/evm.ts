import type { FullEvmTransaction } from '@switchyard/explorer/contract';
import { ether, isZero, tokenAmount } from '../evm/amounts.ts';
import { type Clause, type Part, sentence } from './sentence.ts';

type Facts = Pick<
  FullEvmTransaction,
  'from' | 'to' | 'created' | 'value' | 'status' | 'inputBytes' | 'method' | 'selector' | 'tokenTransfers'
>;

/** One sentence about a transaction of an EVM rollup. @param base Path of the pages of the rollup. */
export function evmSentence(found: Facts, base: string): Part[] {
  return sentence(address(base, found.from), [toClause(found, base)], found.status === 1);
}

function toClause(found: Facts, base: string): Clause {
  const { from, to, created, value, status, inputBytes, method, selector, tokenTransfers } = found;
  const coins: readonly Part[] = value === '0' ? [] : [' with ', etherPart(value)];
  if (to === null) {
    const contract: readonly Part[] = created === null ? ['a contract'] : ['the contract ', address(base, created)];
    return { past: 'created', infinitive: 'create', objects: [...contract, ...coins] };
  }
  const [moved, ...more] = tokenTransfers;
  if (inputBytes === 0) {
    return { past: 'sent', infinitive: 'send', objects: [etherPart(value), ' to ', address(base, to)] };
  }
  if (status === 1 && moved !== undefined && more.length === 0 && value === '0') {
    const what = tokenParts(moved, base);
    if (moved.from === from && !isZero(moved.to)) {
      return { past: 'sent', infinitive: 'send', objects: [...what, ' to ', address(base, moved.to)] };
    }
    if (isZero(moved.from)) {
      return { past: 'minted', infinitive: 'mint', objects: [...what, ' for ', address(base, moved.to)] };
    }
  }
  const name = method || selector;
  const called: Part = name ? { kind: 'amount', text: name } : 'a function';
  return { past: 'called', infinitive: 'call', objects: [called, ' of ', address(base, to), ...coins] };
}

const etherPart = (wei: string): Part => ({ kind: 'amount', text: ether(wei) });
const address = (base: string, text: string): Part => ({ kind: 'id', text, to: `${base}/addresses/${text}` });

function tokenParts({ amount, token, id }: Facts['tokenTransfers'][number], base: string): Part[] {
  const { symbol, name, address: contract } = token;
  return [
    { kind: 'amount', text: tokenAmount(amount, token, id) },
    ' ',
    { kind: 'id', text: contract, to: `${base}/tokens/${contract}`, name: symbol || name || undefined },
  ];
}
