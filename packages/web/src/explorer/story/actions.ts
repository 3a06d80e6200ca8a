import { Input } from '@switchyard/client/http-api';
import { formatCoins } from '../../ui/coins.ts';
import { formatBytes, formatCount, words } from '../../ui/format.ts';
import { word } from '../word.ts';
import { type Clause, clause, type Part, sentence, withArticle } from './sentence.ts';

/* Sentences about transactions of the sequencer and of rollups of the framework. */

export interface Deeds {
  /** Null for an entry that is no transaction. */
  readonly signer: string | null;
  readonly actions: readonly unknown[];
  /** Actions in all, if only the first of them are loaded. */
  readonly actionCount?: number;
  readonly isDone: boolean;
}

interface Places {
  /** Path of the page of an account on the chain of the transaction. */
  account(address: string): string;
  /** Name of a rollup if it is known. */
  rollupName(id: string): string | undefined;
}

const sequencerAccount = (address: string): string => `/accounts/${address}`;

export function actionSentence({ signer, actions, actionCount, isDone }: Deeds, places: Places): Part[] {
  const inputs = actions.map((each) => new Input(each, 'action'));
  const isSubmission = (action: Input) => at(action, 'kind') === 'rollupDataSubmission';
  const submissions = inputs.filter(isSubmission);
  const others = inputs.filter((each) => !isSubmission(each));
  const unknown = (actionCount ?? actions.length) - actions.length;
  const clauses = [
    ...(submissions.length === 0 ? [] : [submitted(submissions, unknown, places)]),
    ...others.map((each) => getClause(each, places)),
  ];
  // Actions that are not there are counted with the submissions, if there are some.
  const count = clauses.length + (submissions.length === 0 ? unknown : 0);
  const who: Part = signer === null ? 'An unknown account' : id(signer, places.account(signer));
  return sentence(who, clauses, isDone, count);
}

const at = (action: Input, name: string): string => (action.isObject ? word(action.at(name)) : '');
const id = (text: string, to?: string, name?: string): Part => ({ kind: 'id', text, to, name });

function submitted(submissions: readonly Input[], unknown: number, places: Places): Clause {
  const counts = new Map<string, number>();
  for (const each of submissions) counts.set(at(each, 'rollup'), (counts.get(at(each, 'rollup')) ?? 0) + 1);
  const bytes = submissions.reduce((sum, each) => sum + Number(at(each, 'bytes')), 0);
  const number = submissions.length + unknown;
  const rollups = [...counts.keys()].flatMap((rollup, index): Part[] => {
    const part = rollupPart(rollup, places);
    return index === 0 ? [part] : [index === counts.size - 1 ? ' and ' : ', ', part];
  });
  const only = submissions.length === 1 && unknown === 0 ? submissions[0] : undefined;
  const what: Part =
    only === undefined
      ? `${formatCount(number)} transactions`
      : { kind: 'link', text: 'a transaction', to: `/rollups/${at(only, 'rollup')}/transactions/${at(only, 'hash')}` };
  const size = unknown > 0 ? [] : [`, ${formatBytes(bytes)}`];
  return clause('submitted', 'submit', what, ' to ', ...rollups, ...size);
}

/** One action in words. A kind that is not known here is named. */
function getClause(action: Input, places: Places): Clause {
  const kind = at(action, 'kind');
  const make = Object.hasOwn(CLAUSES, kind) ? CLAUSES[kind] : undefined;
  return make?.(action, places) ?? clause('carried out', 'carry out', withArticle(words(kind)));
}

const CLAUSES: Readonly<Record<string, (action: Input, places: Places) => Clause>> = {
  transfer: (action, places) =>
    clause('sent', 'send', amountOf(action), ' to ', id(at(action, 'to'), places.account(at(action, 'to')))),
  sendText: (action) => clause('wrote', 'write', quote(action, 'text'), ' as ', quote(action, 'name')),
  withdraw: (action) =>
    clause('withdrew', 'withdraw', amountOf(action), ' to ', getAccount(action, 'to'), ' on the sequencer'),
  bridgeLock: (action) => {
    const objects = [amountOf(action), ' for ', id(at(action, 'destination'))];
    return clause('deposited', 'deposit', ...objects, ' through the bridge account ', bridgeOf(action, 'to'));
  },
  bridgeUnlock: (action) => {
    const objects = [toPaid(action), ' to ', getAccount(action, 'to')];
    return clause('paid', 'pay', ...objects, ' for a withdrawal, from ', bridgeOf(action, 'bridge'));
  },
  bridgeTransfer: (action) => {
    const objects = [toPaid(action), ' from ', bridgeOf(action, 'bridge')];
    return clause('moved', 'move', ...objects, ' to the bridge account ', bridgeOf(action, 'to'));
  },
  initBridgeAccount: (action, places) =>
    clause('became', 'become', 'a bridge account of ', rollupPart(at(action, 'rollup'), places)),
};

const quote = (action: Input, name: string): Part => ({ kind: 'quote', text: at(action, name) });

function rollupPart(rollup: string, places: Places): Part {
  const name = places.rollupName(rollup);
  const path = `/rollups/${rollup}`;
  return name === undefined ? id(rollup, path) : { kind: 'link', text: name, to: path };
}

const getAccount = (action: Input, name: string): Part => id(at(action, name), sequencerAccount(at(action, name)));
const bridgeOf = (action: Input, name: string): Part => id(at(action, name), `/bridges/${at(action, name)}`);
const toPaid = (action: Input): Part => ({ kind: 'paid', bridge: at(action, 'bridge'), units: at(action, 'amount') });

function amountOf(action: Input): Part {
  const units = at(action, 'amount');
  const asset = at(action, 'asset');
  return { kind: 'amount', text: /^\d+$/.test(units) ? formatCoins(BigInt(units), asset) : `${units} ${asset}` };
}
