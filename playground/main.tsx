import { useEffect, useState } from 'react';
import { PageHeader } from '../packages/web/src/ui/header.tsx';
import { Id } from '../packages/web/src/ui/id.tsx';
import { Message } from '../packages/web/src/ui/message.tsx';
import { mount } from '../packages/web/src/ui/mount.ts';
import { Editor } from './editor.tsx';
import { Faults } from './faults.tsx';
import { type Begin, EXAMPLES, type Example, USERS } from './messages.ts';
import { type Files, filesOf } from './sources.ts';
import { useNetwork } from './use-network.ts';
import { UserView } from './user-view.tsx';

const TITLES: Readonly<Record<Example, string>> = { counter: 'Counter', token: 'Token', orderbook: 'Order book' };

/** The example and the seed of the address: `#token/seed`. */
function stated(): { readonly example: Example; readonly seed: string } {
  const [name, seed = ''] = decodeURIComponent(location.hash.slice(1)).split('/');
  return { example: EXAMPLES.find((each) => each === name) ?? 'counter', seed: seed.slice(0, 64) || '1' };
}

function Playground() {
  const [{ example, seed }, setStated] = useState(stated);
  const [files, setFiles] = useState<Files>({});
  const [begin, setBegin] = useState<Begin>();
  const network = useNetwork(begin);
  const { shown, problem, isOver } = network;
  const run = (sources?: Files) => setBegin({ example, seed, sources });
  useEffect(() => {
    const follow = () => setStated(stated());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  useEffect(() => {
    setBegin({ example, seed, sources: undefined });
    void filesOf(example).then(setFiles);
  }, [example, seed]);
  const word = isOver ? 'ended' : shown === undefined ? 'starting…' : `block ${shown.height}`;
  return (
    <>
      <PageHeader kind="start" health={{ tone: isOver ? 'bad' : shown === undefined ? 'plain' : 'good', text: word }}>
        <nav className="tabs" aria-label="Examples">
          {EXAMPLES.map((each) => (
            <a
              key={each}
              href={`#${each}/${encodeURIComponent(seed)}`}
              aria-current={each === example ? 'page' : undefined}
            >
              {TITLES[each]}
            </a>
          ))}
        </nav>
      </PageHeader>
      <main id="main" tabIndex={-1}>
        <div className="title wide">
          <h1>Playground</h1>
          <p className="quiet">
            A sequencer, a composer, a conductor and the node of a rollup, all in this page: the programs that run on
            servers.
          </p>
        </div>
        {problem !== undefined && (
          <Message tone="bad" role="alert">
            {problem}
          </Message>
        )}
        <section className="card" aria-labelledby="blocks">
          <h2 id="blocks">Blocks</h2>
          <ol className="blocks">
            {network.blocks.map(({ height, hash, block, blockHash }) => (
              <li key={String(height)}>
                Sequencer {String(height)} <Id text={hash} /> rollup {String(block)}{' '}
                {blockHash !== '' && <Id text={blockHash} />}
              </li>
            ))}
          </ol>
        </section>
        <div className="users">
          {USERS.map((user) => (
            <UserView key={`${example} ${user}`} user={user} network={network} />
          ))}
        </div>
        <Faults rollup={example} network={network} />
        <Editor key={example} example={example} files={files} run={run} stop={network.stop} />
      </main>
    </>
  );
}

mount(<Playground />);
