import { useEffect, useState } from 'react';
import { PageHeader } from '../ui/header.tsx';
import { Message } from '../ui/message.tsx';
import { mount } from '../ui/mount.ts';
import { useNetworkPages } from '../ui/network-pages.ts';
import { PageFooter } from '../ui/page-footer.tsx';
import { type ApiDocument, loadDocument } from './document.ts';
import { Reference } from './reference.tsx';

function Page() {
  const [api, setApi] = useState<ApiDocument>();
  const [problem, setProblem] = useState('');
  const { network } = useNetworkPages();
  useEffect(() => {
    loadDocument().then(setApi, (error: unknown) => setProblem(`${String(error)}. Load the page again.`));
  }, []);
  return (
    <>
      {/* A process without a network has no page at the root. */}
      <PageHeader kind="api" home={network === '' ? '/docs' : '/'} />
      {api !== undefined && <Reference document={api} />}
      {api === undefined && (
        <main id="main" tabIndex={-1}>
          <h1>API</h1>
          {problem !== '' && (
            <Message tone="bad" role="alert">
              {problem}
            </Message>
          )}
        </main>
      )}
      <PageFooter />
    </>
  );
}

mount(<Page />);
