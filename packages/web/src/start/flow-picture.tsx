import { Id } from '../ui/id.tsx';
import { When } from '../ui/when.tsx';
import type { LastTransaction, Network } from './api.ts';
import { getRollup, stages, stations, wayUrl } from './flow.ts';
import { findExplorer } from './words.ts';

/** The parts of the stack with their heights, and how far the newest transaction is. All of it is text too. */
export function FlowPicture({ network, isCurrent }: { readonly network: Network; readonly isCurrent: boolean }) {
  const last = network.flow?.last;
  return (
    <section className="card flow" aria-labelledby="flow">
      <h2 id="flow">How transactions move</h2>
      <ol className={isCurrent ? 'stations' : 'stations old'}>
        {stations(network).map(({ kind, title, job, facts, beat, hasLast }) => (
          <li key={kind} className={hasLast ? `station ${kind} last` : `station ${kind}`}>
            <h3>{title}</h3>
            <p className="quiet">{job}</p>
            {facts.length === 0 ? (
              <p className="warn">does not answer</p>
            ) : (
              facts.map(({ text, url }) => (
                <p key={text} className="fact">
                  {url === undefined ? text : <a href={url}>{text}</a>}
                </p>
              ))
            )}
            {hasLast && <p className="mark">newest transaction</p>}
            {/* The layer has one line from the sequencer and one to the conductor. */}
            {kind === 'layer' && <i className="line" aria-hidden="true" />}
            <i className="line" aria-hidden="true">
              {beat !== '' && <i key={beat} className="beat" />}
            </i>
          </li>
        ))}
      </ol>
      {last === undefined ? (
        <p className="quiet">
          No transaction since the composer started. The next one is followed here, up to its firm block.
        </p>
      ) : (
        <Way last={last} network={network} />
      )}
    </section>
  );
}

function Way({ last, network }: { readonly last: LastTransaction; readonly network: Network }) {
  const rollup = getRollup(last, network);
  return (
    <>
      <p className="newest">
        Newest transaction{rollup !== '' && ` of ${rollup}`}: <strong>{last.state}</strong>{' '}
        <Id text={last.hash} href={wayUrl(last, findExplorer(network))} />{' '}
        {last.queuedAt !== undefined && <When at={new Date(last.queuedAt).toISOString()} />}
      </p>
      <ol className="stages" aria-label="Stages of the newest transaction">
        {stages(last).map(({ name, state, note }) => (
          <li key={name} className={state.replace(' ', '-')}>
            <strong>{name}</strong>
            <span className="hidden">: {state === 'reached' ? 'done' : state}</span>
            <span className="note">{note}</span>
          </li>
        ))}
      </ol>
    </>
  );
}
