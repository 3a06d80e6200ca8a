import type { Input } from '@switchyard/client/http-api';
import { textOf, word } from '../api.ts';
import { formatBytes, formatCount, words } from '../format.ts';
import { Answer } from '../parts/answer.tsx';
import { amounts, link, result } from '../parts/cells.tsx';
import { Id } from '../parts/id.tsx';
import { Absent, Badge, FactList, Title } from '../parts/layout.tsx';
import { When } from '../parts/when.tsx';
import { shown } from '../shown.ts';

export function Transaction({ hash }: { readonly hash: string }) {
  return (
    <Answer
      page="Sequencer transaction"
      path={`/transactions/${encodeURIComponent(hash)}`}
      absent={<Absent title="No such transaction">No block in the index has the transaction {shown(hash)}.</Absent>}
      show={(found) => {
        const actions = found.at('actions').list();
        const total = Number(word(found.at('actionCount')));
        return (
          <>
            <Title>Sequencer transaction</Title>
            <FactList
              facts={[
                ['Hash', <Id key="hash" text={word(found.at('hash'))} isWhole />],
                ['Result', result(found)],
                ['Block', link('blocks', 'height')(found)],
                ['Time', <When key="time" at={found.at('time')} both />],
                [
                  'Signer',
                  <Id
                    key="signer"
                    text={word(found.at('signer'))}
                    to={`/accounts/${word(found.at('signer'))}`}
                    isWhole
                  />,
                ],
                ['Nonce', formatCount(textOf(found, 'nonce'))],
                ['Size', formatBytes(Number(word(found.at('size'))))],
                ['Fees', amounts(found.at('fees'))],
              ]}
            />
            <section className="card" aria-label="Actions">
              <h2>
                Actions{' '}
                <span className="quiet">
                  ({total > actions.length ? `the first ${actions.length} of ${formatCount(total)}` : total})
                </span>
              </h2>
              <ol className="actions">
                {actions.map((action, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the position is what an action is known by
                  <li key={index}>
                    <Action action={action} />
                  </li>
                ))}
              </ol>
            </section>
          </>
        );
      }}
    />
  );
}

/** Whatever members an action has: a new kind needs nothing here. */
function Action({ action }: { readonly action: Input }) {
  const rollup = word(action.at('rollup'));
  const hash = word(action.at('hash'));
  return (
    <>
      <Badge>{words(textOf(action, 'kind'))}</Badge>
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
