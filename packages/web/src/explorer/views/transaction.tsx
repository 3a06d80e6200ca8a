import { Input } from '@switchyard/client/http-api';
import { sequencer } from '@switchyard/explorer/contract';
import { Badge } from '../../ui/badge.tsx';
import { formatBytes, formatCount, words } from '../../ui/format.ts';
import { shown } from '../../ui/shown.ts';
import { When } from '../../ui/when.tsx';
import { word } from '../api.ts';
import { Answer } from '../parts/answer.tsx';
import { amounts, Link, result } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, FactList, Title } from '../parts/layout.tsx';

export function Transaction({ hash }: { readonly hash: string }) {
  return (
    <Answer
      page="Sequencer transaction"
      route={sequencer.getTransaction}
      params={{ hash }}
      absent={<Absent title="No such transaction">No block in the index has the transaction {shown(hash)}.</Absent>}
      show={({ actions, actionCount, signer, ...found }) => (
        <>
          <Title>Sequencer transaction</Title>
          <FactList
            facts={[
              ['Hash', <Id key="hash" text={found.hash} isWhole />],
              ['Result', result(found)],
              ['Block', <Link key="block" kind="blocks" id={found.height} />],
              ['Time', <When key="time" at={found.time} both />],
              ['Signer', <Id key="signer" text={signer ?? ''} to={`/accounts/${signer ?? ''}`} isWhole />],
              ['Nonce', formatCount(found.nonce)],
              ['Size', formatBytes(found.size)],
              ['Fees', amounts(found.fees)],
            ]}
          />
          <section className="card" aria-label="Actions">
            <h2>
              Actions{' '}
              <span className="quiet">
                (
                {actionCount > actions.length
                  ? `the first ${actions.length} of ${formatCount(actionCount)}`
                  : actionCount}
                )
              </span>
            </h2>
            <ol className="actions">
              {actions.map((action, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the position is what an action is known by
                <li key={index}>
                  <Action action={new Input(action, 'action')} />
                </li>
              ))}
            </ol>
          </section>
        </>
      )}
    />
  );
}

/** Whatever members an action has: a new kind needs nothing here. */
function Action({ action }: { readonly action: Input }) {
  const rollup = word(action.at('rollup'));
  const hash = word(action.at('hash'));
  return (
    <>
      <Badge>{words(shown(word(action.at('kind'))))}</Badge>
      <dl className="members">
        {action
          .members()
          .filter(([name]) => name !== 'kind')
          .map(([name, member]) => (
            <div key={name}>
              <dt>{words(shown(name))}</dt>
              <dd>
                <Member
                  name={name}
                  member={member}
                  hashTo={rollup !== '' && hash !== '' ? `/rollups/${rollup}/transactions/${hash}` : undefined}
                />
              </dd>
            </div>
          ))}
      </dl>
    </>
  );
}

const ADDRESS = /^[a-z]{1,83}1[02-9ac-hj-np-z]{38,80}$/;

function Member({
  name,
  member,
  hashTo,
}: {
  readonly name: string;
  readonly member: Input;
  readonly hashTo: string | undefined;
}) {
  const text = word(member);
  if (name === 'hash') return <Id text={text} to={hashTo} />;
  if (name === 'rollup') return <Id text={text} to={`/rollups/${text}`} />;
  if (ADDRESS.test(text)) return <Id text={text} to={`/accounts/${text}`} />;
  if (text !== '') return <>{/^\d+$/.test(text) ? formatCount(text) : shown(text)}</>;
  return member.isPresent ? <code>{shown(JSON.stringify(member.value))}</code> : <>–</>;
}
