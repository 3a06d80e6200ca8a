import type { FullEvmTransaction } from '@switchyard/explorer/contract';
import { ether, isZero, tokenAmount } from '../evm/amounts.ts';
import { type Clause, clause, type Part, sentence } from './sentence.ts';

type Facts = Pick<
  FullEvmTransaction,
  'from' | 'to' | 'created' | 'value' | 'status' | 'inputBytes' | 'method' | 'selector' | 'tokenTransfers'
>;

/** One sentence about a transaction of an EVM rollup, with links to pages of the rollup. */
export function evmSentence(found: Facts): Part[] {
  return sentence(address(found.from), [toClause(found)], found.status === 1);
}

function toClause(found: Facts): Clause {
  const { from, to, created, value, status, inputBytes, method, selector, tokenTransfers } = found;
  const coins: readonly Part[] = value === '0' ? [] : [' with ', etherPart(value)];
  if (to === null) {
    const contract: readonly Part[] = created === null ? ['a contract'] : ['the contract ', address(created)];
    return clause('created', 'create', ...contract, ...coins);
  }
  const [moved, ...more] = tokenTransfers;
  if (inputBytes === 0) return clause('sent', 'send', etherPart(value), ' to ', address(to));
  if (status === 1 && moved !== undefined && more.length === 0 && value === '0') {
    const what = tokenParts(moved);
    const receiver = address(moved.to);
    if (moved.from === from && !isZero(moved.to)) return clause('sent', 'send', ...what, ' to ', receiver);
    if (isZero(moved.from)) return clause('minted', 'mint', ...what, ' for ', receiver);
  }
  const name = method || selector;
  const called: Part = name ? { kind: 'amount', text: name } : 'a function';
  return clause('called', 'call', called, ' of ', address(to), ...coins);
}

const etherPart = (wei: string): Part => ({ kind: 'amount', text: ether(wei) });
const address = (text: string): Part => ({ kind: 'id', text, to: `./evm/addresses/${text}` });

function tokenParts({ amount, token, id }: Facts['tokenTransfers'][number]): Part[] {
  const { symbol, name, address: contract } = token;
  return [
    { kind: 'amount', text: tokenAmount(amount, token, id) },
    ' ',
    { kind: 'id', text: contract, to: `./evm/tokens/${contract}`, name: symbol || name || undefined },
  ];
}
