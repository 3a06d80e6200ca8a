import { type AnswerOf, Input } from '@switchyard/client/http-api';
import { explorer, sequencer } from '@switchyard/explorer/contract';
import { FactList } from '../../ui/facts.tsx';
import { Folded } from '../../ui/folded.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { When } from '../../ui/when.tsx';
import { ask, rollupPath } from '../api.ts';
import { useLive } from '../live.tsx';
import { Answer, useAsked } from '../parts/answer.tsx';
import { amounts, Id, Link, result } from '../parts/cells.tsx';
import { Items, Title } from '../parts/layout.tsx';
import { InRollupBlock, OnLayer, StepLine } from '../parts/steps.tsx';
import type { PageProps } from '../route.ts';
import { actionSentence } from '../story/actions.ts';
import { Story } from '../story/story.tsx';
import { timed } from '../story/way.ts';
import { word } from '../word.ts';
import { Action } from './members.tsx';

/** Rollups whose part of the way is shown: a bundle seldom has data of more. */
const MAX_ROLLUPS = 4;

export function Transaction({ id: hash }: PageProps) {
  const { heads } = useLive();
  return (
    <Answer
      page="Sequencer transaction"
      route={sequencer.getTransaction}
      params={{ hash }}
      isOnce
      absent={`No block in the index has the transaction ${shown(hash)}.`}
      show={({ actions, actionCount, signer, ...found }) => (
        <>
          <Title>Sequencer transaction</Title>
          <Story
            parts={actionSentence(
              { signer, actions, actionCount, isDone: found.code === 0 },
              {
                account: (address) => `/accounts/${address}`,
                rollupName: (id) => heads?.rollups.find(({ rollup }) => rollup === id)?.name,
              },
            )}
          >
            {result(found)}
            <When at={found.time} both />
            {found.fees.length > 0 && <span>fee {amounts(found.fees)}</span>}
          </Story>
          <Way {...found} actions={actions} />
          <FactList
            facts={[
              ['Hash', <Id key="hash" text={found.hash} isWhole />],
              ['Signer', <Id key="signer" text={signer ?? ''} to={`/accounts/${signer ?? ''}`} isWhole />],
              ['Nonce', formatCount(found.nonce)],
              ['Size', formatBytes(found.size)],
            ]}
          />
          <Folded title={`Raw data: ${actionCount === 1 ? '1 action' : `${formatCount(actionCount)} actions`}`}>
            {actionCount > actions.length && <p className="quiet">The first {actions.length} of them:</p>}
            <Items of={actions} show={(action) => <Action action={new Input(action, 'action')} />} />
          </Folded>
        </>
      )}
    />
  );
}

type Facts = AnswerOf<typeof sequencer.getTransaction>;

/** The way of the transaction: its block, the layer, and what each rollup made of its data. */
function Way({ hash, height, time, code, actions }: Pick<Facts, 'hash' | 'height' | 'time' | 'code' | 'actions'>) {
  const { turn } = useLive();
  const { value } = useAsked(`way ${hash}`, () => askWay(hash, height, code === 0 ? actions : []), turn);
  const layer = value?.layer ?? null;
  const tookUntil = (at: string | null | undefined) =>
    timed([
      ['sequenced', time, true],
      ['executed', at ?? null, true],
    ])[1]?.tookMs;
  return (
    <section className="card" aria-label="Way of the transaction">
      <h2>Way through the stack</h2>
      <ol className="trace">
        <StepLine name={code === 0 ? 'Sequenced' : 'Refused'} at={time} isDone tone={code === 0 ? undefined : 'bad'}>
          in block <Link kind="blocks" id={height} />
        </StepLine>
        {value?.rollups.map(({ rollup, name, isDeposit, at, block, state }) => {
          const label = isDeposit ? 'Credited' : 'Executed';
          return (
            <StepLine
              key={`${rollup} ${isDeposit}`}
              name={state === 'refused' ? 'Refused' : label}
              at={at}
              tookMs={tookUntil(at)}
              isDone={block !== null}
              tone={state === 'refused' ? 'bad' : undefined}
            >
              by <a href={`#${rollupPath(rollup)}`}>{shown(name) || 'the rollup'}</a>
              {block === null ? (
                <span className="quiet">: not seen yet</span>
              ) : (
                <>
                  {' '}
                  <InRollupBlock rollup={rollup} block={block} />
                </>
              )}
            </StepLine>
          );
        })}
        <StepLine name="Posted" at={layer?.at} tookMs={tookUntil(layer?.at)} isDone={layer !== null}>
          <OnLayer layer={layer} />
        </StepLine>
      </ol>
    </section>
  );
}

interface AtRollup {
  readonly rollup: string;
  readonly name: string | null;
  readonly isDeposit: boolean;
  readonly block: number | null;
  readonly at: string | null;
  readonly state: string;
}

/** A part of the way that cannot be read now is left out, and asked for again with the next block. */
async function askWay(hash: string, height: number, actions: readonly unknown[]) {
  const inputs = actions.map((each) => new Input(each, 'action'));
  const find = (kind: string) => inputs.filter((each) => word(each.at('kind')) === kind);
  const first = new Map(
    find('rollupDataSubmission')
      .reverse()
      .map((each) => [word(each.at('rollup')), word(each.at('hash'))]),
  );
  const submissions = [...first].slice(0, MAX_ROLLUPS).map(async ([rollup, data]): Promise<AtRollup[]> => {
    const { submissions: all } = await ask(explorer.getTrace, { hash: data });
    const found = all.find((each) => each.rollup === rollup && each.bundle.hash === hash);
    if (found === undefined) return [];
    const { name, state, execution } = found;
    return [{ rollup, name, isDeposit: false, block: execution?.block ?? null, at: execution?.seen ?? null, state }];
  });
  const bridges = new Set(find('bridgeLock').map((each) => word(each.at('to'))));
  const deposits = [...bridges].slice(0, MAX_ROLLUPS).map(async (address): Promise<AtRollup[]> => {
    const { items } = await ask(sequencer.listAccountDeposits, { address, limit: 100 });
    const found = items.find(({ transaction }) => transaction === hash);
    if (found === undefined) return [];
    const { rollup, name, block, state } = found;
    return [{ rollup, name, isDeposit: true, block, at: null, state }];
  });
  const block = ask(sequencer.getBlock, { block: height });
  const parts = await Promise.allSettled([...submissions, ...deposits]);
  return {
    layer: (await block).layer,
    rollups: parts.flatMap((part) => (part.status === 'fulfilled' ? part.value : [])),
  };
}
